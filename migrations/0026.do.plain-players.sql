-- What the rules found the player plain for: its status, verification and limits as they were then (src/wallet/store/player.ts). The
-- finding holds as long as they are still that, whoever has written them since; null until a player is written or bets once.
alter table purser.player add column plain_as text;
comment on column purser.player.plain_as is
  'The status, verification and limits for which the rules found nothing that stands against a bet of this player.';

-- Only primary keys hold the bucket, wherever in the index: on an analysed table without rows the planner takes any index that holds it.
create index session_of_player on purser.session (player);
drop index purser.session_by_player;
