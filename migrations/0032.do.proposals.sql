-- An adjustment above an amount waits for a second person (W-27): the wish as it was sent, until somebody else has approved or refused it, or
-- until it has expired. What is made of it is a movement like every other one, with the same reference.
create table purser.proposal (
  bucket         integer not null,
  player         text collate "C" not null,
  reference      text collate "C" not null,
  currency       text collate "C" not null,
  amount         bigint not null check (amount <> 0),
  reason         text not null,
  ticket         text,
  bet_id         text collate "C",
  key_name       text not null,
  person         text not null,
  proposed_at    timestamptz not null,
  expires_at     timestamptz not null,
  status         text not null default 'pending' check (status in ('pending', 'approved', 'refused')),
  decided_key    text,
  decided_person text,
  decided_at     timestamptz,
  primary key (bucket, player, reference),
  check (case status when 'pending' then coalesce(decided_key, decided_person) is null and decided_at is null
    else decided_key is not null and decided_person is not null and decided_at is not null end),
  check (status <> 'approved' or decided_key <> key_name)
);
comment on table purser.proposal is
  'Adjustments that need a second person. person and decided_person are as the requests named them, else the names of the keys; the amount is signed.';
-- The list of all, and of those of one status.
create index proposal_by_time on purser.proposal (proposed_at, player, reference) where proposed_at < 'infinity';
create index proposal_by_status on purser.proposal (status, proposed_at, player, reference);

alter table purser.cash_movement
  add column approved_by text check (approved_by is null or kind = 'adjustment');
comment on column purser.cash_movement.approved_by is 'The second person of an adjustment that needed one (W-27).';
