-- Calls to a partner, an operator or a webhook may need headers of its own, a CA and a client certificate (O-20).
alter table platform.partner add column connection json;
alter table gateway.operator add column connection json;
alter table purser.webhook add column connection json;
comment on column platform.partner.connection is 'Null: none. Else a list of one text, which is JSON with headers, ca, certificate and key; or {key, sealed}: the same, encrypted as secrets.';
comment on column gateway.operator.connection is 'As platform.partner.connection.';
comment on column purser.webhook.connection is 'As platform.partner.connection.';
