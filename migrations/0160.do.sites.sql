-- Several sites under one platform's key (O-7). The site that a Place bet names is kept with the bet and with what the bet moved; empty where it
-- names none, and of what is stored already, which does not change.
alter table purser.daily_sum
  add column site text collate "C" not null default '',
  drop constraint daily_sum_pkey,
  add primary key (day, currency, brand, kind, debit, credit, platform, site);
comment on table purser.daily_sum is
  'Sums of purser.transfer, in minor units. brand is the player''s, empty for players of none; platform and site are the bet''s, empty where there is none.';
alter table purser.archived_sum
  add column site text collate "C" not null default '',
  drop constraint archived_sum_pkey,
  add primary key (day, currency, brand, kind, debit, credit, platform, site);
alter table purser.bet add column site text collate "C" not null default '';
alter table purser.transfer add column site text collate "C" not null default '';
comment on column purser.bet.site is 'The beginning of the subPartnerId of its Place bet; bet_details has all of it.';
