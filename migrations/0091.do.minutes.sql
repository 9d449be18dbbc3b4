-- Calls of the last hour, counted by minute and by the other side, for the page that says how things are now. The slots are used in turn, so that
-- the table never grows: a slot that comes round again begins anew.
create table purser.minute (
  slot      smallint not null check (slot >= 0),
  name      text collate "C" not null,
  minute    timestamptz not null,
  accepted  bigint not null,
  refused   bigint not null,
  failed    bigint not null,
  durations bigint[] not null,
  primary key (slot, name)
);
create table platform.minute (like purser.minute including all);
comment on table purser.minute is
  'Calls of the wire by minute. name is the platform whose secret verified them, empty for the one without a name, ? for calls that no secret verified; durations counts calls by how long they took. Slots are used in turn; only the last hour is read.';
comment on table platform.minute is 'As purser.minute: the calls that this platform made, by partner.';
