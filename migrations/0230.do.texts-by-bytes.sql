-- Every text in an index is compared by its bytes. The order of a language changes with the C library or ICU of the machine; an index that
-- was built in another order no longer finds its rows, and a primary key takes the same row twice.
alter table gateway.operator alter column operator_id type text collate "C";
alter table gateway.player
  alter column user_id type text collate "C",
  alter column operator_id type text collate "C",
  alter column operator_user type text collate "C";
alter table gateway.session alter column user_id type text collate "C";

alter table platform.partner alter column partner_id type text collate "C";
alter table platform.frame_session alter column partner_id type text collate "C";
alter table platform.bet
  alter column partner_id type text collate "C",
  alter column idempotency_key type text collate "C";
alter table platform.delivery
  alter column partner_id type text collate "C",
  alter column operation type text collate "C",
  alter column status type text collate "C",
  alter column owed_currency type text collate "C";
alter table platform.event alter column event_id type text collate "C";
alter table platform.outcome
  alter column event_id type text collate "C",
  alter column outcome_id type text collate "C";
alter table platform.selection
  alter column event_id type text collate "C",
  alter column outcome_id type text collate "C";
alter table platform.setting alter column name type text collate "C";

alter table purser.bet_call alter column operation type text collate "C";
alter table purser.proposal alter column status type text collate "C";
alter table purser.setting alter column name type text collate "C";
alter table purser.transfer alter column kind type text collate "C";
