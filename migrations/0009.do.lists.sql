-- What people ask is found without reading what they did not ask for. Each index on the bets costs every bet: these add 7 %
-- to what a bet writes, all of it for the list of one player. A settlement changes no column of any of them, so that its new row can
-- stay in the page of the old one.

-- The bet id comes before the player: a bet is found by its id alone too, and a lookup with both costs the same.
alter table purser.bet drop constraint bet_pkey, add primary key (bucket, bet_id, player);

-- The states that few bets are in. Open and settled bets have none: were `status` in an index, each settlement would write into all.
alter table purser.bet add column rare_status text collate "C"
  generated always as (case when status in ('unknown', 'cancelled', 'refused') then status end) stored;
comment on column purser.bet.rare_status is 'The status, if few bets have it, for its index; null for open and settled.';

-- A list states the always true condition of its index, and no other statement does. So statistics choose no other one for it, and
-- lookups by primary key find only that: on an empty table each index that has the bucket costs the same, and a plan made then is kept.
drop index purser.bet_by_time;
create index bet_by_time on purser.bet (first_seen_at, bucket) where first_seen_at < 'infinity';
create index bet_by_player on purser.bet (player, first_seen_at, bucket) where first_seen_at > '-infinity';
create index bet_rare on purser.bet (rare_status, first_seen_at, bucket)
  where rare_status is not null and first_seen_at < 'infinity';
create index bet_rare_of_player on purser.bet (player, rare_status, first_seen_at, bucket)
  where rare_status is not null and first_seen_at > '-infinity';

-- The platform: what is not done is little, and each of its states is listed and counted.
drop index platform.delivery_to_look_at;
create index delivery_not_done on platform.delivery (status, delivery_id) where status <> 'done';
