-- A key may be narrowed to some of what its role may do (W-25), as the key of a site's login, which needs sessions alone.
alter table purser.api_key add column rights text[] check (cardinality(rights) > 0);
alter table platform.api_key add column rights text[] check (cardinality(rights) > 0);
alter table gateway.api_key add column rights text[] check (cardinality(rights) > 0);
comment on column purser.api_key.rights is 'Null: all that the role may do. Else only the operations of these rights.';
comment on column platform.api_key.rights is 'As purser.api_key.rights.';
comment on column gateway.api_key.rights is 'As purser.api_key.rights.';
