-- Keys, people and sessions have the time of their last use, which is written at most once a minute. A
-- password that another person has set is changed at the first sign-in (U-4). All columns have defaults,
-- so that a server from before goes on in a rolling upgrade.
alter table purser.api_key add column used_at timestamptz;
alter table platform.api_key add column used_at timestamptz;
alter table gateway.api_key add column used_at timestamptz;
comment on column purser.api_key.used_at is 'Last use, to the minute; null: none is known.';
comment on column platform.api_key.used_at is 'As purser.api_key.used_at.';
comment on column gateway.api_key.used_at is 'As purser.api_key.used_at.';

alter table purser.console_person add column used_at timestamptz, add column must_change boolean not null default false;
alter table platform.console_person add column used_at timestamptz, add column must_change boolean not null default false;
comment on column purser.console_person.used_at is 'Last use of a session or sign-in, to the minute; null: none is known.';
comment on column purser.console_person.must_change is 'Another person has set the password; a session may only change it.';
comment on column platform.console_person.used_at is 'As purser.console_person.used_at.';
comment on column platform.console_person.must_change is 'As purser.console_person.must_change.';

alter table purser.console_session add column used_at timestamptz not null default statement_timestamp();
alter table platform.console_session add column used_at timestamptz not null default statement_timestamp();
comment on column purser.console_session.used_at is 'Last request while somebody was at the page, to the minute.';
comment on column platform.console_session.used_at is 'As purser.console_session.used_at.';
