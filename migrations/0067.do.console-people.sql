-- People who sign in to the console with a name and a password (U-4), at wallet and platform. A session is now of a key or of a person.
create table purser.console_person (
  name         text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  role         text not null check (role in ('read', 'support', 'cash', 'admin')),
  password     text not null,
  password_at  timestamptz not null,
  made_at      timestamptz not null,
  ends_at      timestamptz not null default 'infinity',
  failures     integer not null default 0 check (failures >= 0),
  locked_until timestamptz not null default '-infinity'
);
create table platform.console_person (like purser.console_person including all);
comment on table purser.console_person is
  'Who may sign in to the console by name. password is scrypt$N$r$p$salt$hash; failures are wrong passwords since the last right one, locked_until when the next may be tried.';
comment on table platform.console_person is 'As purser.console_person, of the platform''s console.';

alter table purser.console_session alter column key_hash drop not null;
alter table purser.console_session add column person text collate "C" references purser.console_person;
alter table purser.console_session add constraint console_session_is_of_one check (num_nonnulls(key_hash, person) = 1);
alter table platform.console_session alter column key_hash drop not null;
alter table platform.console_session add column person text collate "C" references platform.console_person;
alter table platform.console_session add constraint console_session_is_of_one check (num_nonnulls(key_hash, person) = 1);
