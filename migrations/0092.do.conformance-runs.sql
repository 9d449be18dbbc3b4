-- Runs of the conformance kit against this wallet, asked for through the operator API and kept with what each case came to.
create table purser.conformance_run (
  run_id     uuid primary key,
  started_at timestamptz not null,
  started_by text not null,
  state      text collate "C" not null default 'running' check (state in ('running', 'ended', 'failed')),
  seen_at    timestamptz not null,
  ended_at   timestamptz,
  is_good    boolean,
  why        text,
  cases      json not null,
  results    json not null default '[]',
  check ((state = 'running') = (ended_at is null)),
  check ((state = 'ended') = (is_good is not null)),
  check ((state = 'failed') = (why is not null))
);
create unique index conformance_run_one on purser.conformance_run ((true)) where state = 'running';
create index conformance_run_by_time on purser.conformance_run (started_at, run_id);
comment on table purser.conformance_run is
  'seen_at is the last sign of life of the process that runs it. cases: the catalogue as it was then; results: what each case came to, without what was sent. One runs at a time.';
