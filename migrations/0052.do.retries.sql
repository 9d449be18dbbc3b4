-- A retry of many deliveries (W-16): what was chosen, how far it has come, and which deliveries it has sent again. What became of each is
-- the delivery's own state.
create table platform.retry (
  retry_id    uuid primary key,
  at          timestamptz not null,
  key_name    text not null,
  person      text,
  chosen      json not null,
  count       integer not null,
  still_tried integer not null,
  taken       integer not null default 0,
  progress_at timestamptz not null,
  finished_at timestamptz
);
comment on table platform.retry is
  'chosen: the filters as they were given. count: how many they chose before it began. progress_at: of its last slice; one without finished_at and without progress was cut short.';
create index retry_by_time on platform.retry (at, retry_id);

create table platform.retried (
  retry_id    uuid not null,
  delivery_id bigint not null,
  primary key (retry_id, delivery_id)
);
comment on table platform.retried is 'Deliveries that a retry has sent again.';
