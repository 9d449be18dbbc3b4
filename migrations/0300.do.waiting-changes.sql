-- A change of a player that lifts an exclusion or raises a limit may have to wait (W-50).
-- The row has the changes that wait, by member, with their author, time and condition.
alter table purser.player add column waiting json;
comment on column purser.player.waiting is
  'Changes that wait for hours or for a second person, by member: {"limits.stake": {"value", "askedAt", "key", "person", "from", "until"}}; null: none.';
