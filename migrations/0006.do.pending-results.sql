-- Results that have been accepted and that not all bets on the event follow yet: whoever applied them may have died.
alter table platform.event
  add column results_version bigint not null default 0,
  add column results_applied bigint not null default 0,
  add column results_at      timestamptz;
create index event_results_pending on platform.event (results_at) where results_applied < results_version;
