-- Named keys of our own APIs (W-25), beside the one of the environment. Each server has a table of its own, as with actions (0012): the key
-- of one opens no other. A key itself is nowhere; number counts what a name has had, and a name is never given to another.
create table purser.api_key (
  name    text collate "C" not null,
  number  integer not null,
  role    text not null check (role in ('read', 'support', 'cash', 'admin')),
  hash    bytea not null unique check (octet_length(hash) = 32),
  made_at timestamptz not null,
  ends_at timestamptz not null default 'infinity',
  primary key (name, number)
);
-- The list, and the reading of those that are live.
create index api_key_by_time on purser.api_key (made_at, name, number);
create index api_key_by_end on purser.api_key (ends_at);
create table platform.api_key (like purser.api_key including all);
create table gateway.api_key (like purser.api_key including all);
comment on table purser.api_key is
  'Keys of the wallet''s own API, as SHA-256. A rotated key has several numbers; each works before its ends_at, which is the database''s time.';
comment on table platform.api_key is 'As purser.api_key, of the platform''s API.';
comment on table gateway.api_key is 'As purser.api_key, of the gateway''s API.';

-- Why, as the request said (O-4).
alter table purser.action add column reason text;
alter table platform.action add column reason text;
alter table gateway.action add column reason text;
