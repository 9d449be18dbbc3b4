-- A key may be limited to what belongs to one brand of a wallet, one partner of a platform, one operator of a gateway (W-25).
alter table purser.api_key add column scope text;
alter table platform.api_key add column scope text;
alter table gateway.api_key add column scope text;
comment on column purser.api_key.scope is 'Null: all. Else only what belongs to this brand.';
comment on column platform.api_key.scope is 'Null: all. Else only what belongs to this partner.';
comment on column gateway.api_key.scope is 'Null: all. Else only what belongs to this operator.';
