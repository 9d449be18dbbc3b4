-- A deposit that was made although the player was blocked or self-excluded, because the call said so (O-3).
alter table purser.cash_movement
  add column despite_exclusion boolean not null default false check (kind = 'deposit' or not despite_exclusion);

comment on table purser.setting is
  'What is fixed when the database is created: the number of buckets. And the settings that decide about money, as every process must have them.';

create table platform.setting (
  name  text primary key,
  value text not null
);
comment on table platform.setting is 'The settings that decide about money, as every process must have them.';
