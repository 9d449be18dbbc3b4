-- A partner or operator has several secrets while they rotate (C-13), and they can be encrypted with a key that is not in the database
-- (O-5). The change of the type writes the tables anew: what stood there readable is gone from their files once a server with a
-- key has started.
alter table platform.partner alter column secret type json using json_build_array(secret);
alter table platform.partner rename column secret to secrets;
comment on column platform.partner.secrets is
  'A list, the first of which signs; or {key, sealed}: the same list, encrypted with AES-256-GCM and bound to this row.';
alter table gateway.operator alter column secret type json using json_build_array(secret);
alter table gateway.operator rename column secret to secrets;
comment on column gateway.operator.secrets is 'As platform.partner.secrets.';
