-- Where the time of each call to a partner went (C-18).
alter table platform.attempt add column phases text;
comment on column platform.attempt.phases is
  'Milliseconds: name, connection, TLS, first byte, body; nothing where there was none, and null from before they were kept.';
