-- Wrong passwords are counted by name and by the address they came from (U-4): a guesser elsewhere does not lock the owner of a name out.
create table purser.console_failure (
  name         text collate "C" not null,
  address      text collate "C" not null,
  failures     integer not null check (failures >= 0),
  locked_until timestamptz not null default '-infinity',
  failed_at    timestamptz not null,
  primary key (name, address)
);
create index console_failure_by_time on purser.console_failure (failed_at);
create table platform.console_failure (like purser.console_failure including all);
comment on table purser.console_failure is
  'Wrong passwords of a name since the last right one, by address (the /64, in IPv6); locked_until is when that address may try the name again.';
comment on table platform.console_failure is 'As purser.console_failure, of the platform''s console.';

alter table purser.console_person drop column failures, drop column locked_until;
alter table platform.console_person drop column failures, drop column locked_until;
comment on table purser.console_person is 'Who may sign in to the console by name. password is scrypt$N$r$p$salt$hash.';
