-- Several platforms on one wallet (W-43). The name under which a platform's secret stands in PARTNER_SECRETS is kept with the bets that it placed
-- and with what they moved; empty is the platform of PARTNER_SECRET. Neither changes what is stored already.
alter table purser.bet add column platform text collate "C" not null default '';
alter table purser.transfer add column platform text collate "C" not null default '';
comment on column purser.bet.platform is
  'Whose secret signed the first call about it. bet_id is as the platform sent it, or followed by @ and this name where another platform''s bet of the player had it before.';

-- Of platforms with a name only: a wallet with one platform pays nothing for it.
create index bet_by_platform on purser.bet (platform, first_seen_at, bucket) where platform <> '';

alter table purser.daily_sum
  add column platform text collate "C" not null default '',
  drop constraint daily_sum_pkey,
  add primary key (day, currency, brand, kind, debit, credit, platform);
comment on table purser.daily_sum is
  'Sums of purser.transfer, in minor units. brand is the player''s, empty for players of none; platform the bet''s, empty where there is none.';
