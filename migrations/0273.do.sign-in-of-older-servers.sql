-- A server from before 0270 counts wrong passwords in the row of the person. During a rolling upgrade it
-- works on this schema too, so the columns are back. This version neither reads nor writes them.
alter table purser.console_person
  add column failures integer not null default 0 check (failures >= 0),
  add column locked_until timestamptz not null default '-infinity';
alter table platform.console_person
  add column failures integer not null default 0 check (failures >= 0),
  add column locked_until timestamptz not null default '-infinity';
comment on column purser.console_person.failures is 'Written only by servers from before console_failure, in a rolling upgrade.';
comment on column purser.console_person.locked_until is 'As failures.';
comment on column platform.console_person.failures is 'As purser.console_person.failures.';
comment on column platform.console_person.locked_until is 'As purser.console_person.failures.';
