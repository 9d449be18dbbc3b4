-- The bets of an event are found by it (W-44). One row for all bets of a batch: the time leads to their details, which say which ones they are. So
-- nothing of a player stands here, and a batch of many bets on one event costs one row.
create table purser.bet_event (
  bucket        integer not null,
  event_id      text collate "C" not null,
  first_seen_at timestamptz not null
);
comment on table purser.bet_event is
  'Bets on the event, some of them at least, have their details (purser.bet_details) at this time. A time can stand here twice. Append-only.';

-- Of the bets that are there. As a text, not as JSON: Postgres reads none in which a text has a NUL.
insert into purser.bet_event (bucket, event_id, first_seen_at)
select distinct bucket, trim(both '"' from id[1]), first_seen_at
from purser.bet_details, regexp_matches(details::text, '"eventId":("[^"\\]{1,64}"|-?[0-9.]{1,64}(?=[,}]))', 'g') as m (id);

create index bet_event_by_event on purser.bet_event (event_id, first_seen_at, bucket);
