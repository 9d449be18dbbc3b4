-- What a person has taken back of a bet stays so until a next result of its events (W-17), also for whoever goes over the event's bets again.
alter table platform.bet add column taken_back_at bigint;
comment on column platform.bet.taken_back_at is
  'When its result was last taken back by request: the versions of the results of its selections'' events, added up. Each only grows.';

-- results_at moves with each try of the bets that cannot follow yet (C-15).
alter table platform.event add column results_pending_since timestamptz;
comment on column platform.event.results_pending_since is 'While results_applied < results_version: since when not all bets follow.';
