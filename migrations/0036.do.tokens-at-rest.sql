-- An operator's token is encrypted with a key that only the gateway's own token of the session makes, of which the database has no more than
-- the hash. What stands there readable cannot be encrypted here: the frames are loaded again.
delete from gateway.session;
alter table gateway.session drop column operator_token;
alter table gateway.session add column operator_token json not null;
comment on table gateway.session is 'One row per operator''s token that was exchanged. The gateway''s own token is kept as its SHA-256; the operator''s as {key, sealed}, encrypted with a key that the gateway''s own token makes.';
comment on table platform.message is 'The bytes of each delivery, which every attempt sends (C-5). Written once; a token in them goes when they were acknowledged (O-6).';
comment on column platform.bet.token is 'Empty when nothing is left to send (O-6).';
