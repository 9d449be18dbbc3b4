-- The transfers of all players by kind and time, a page at a time. Only of the kinds that are few beside stakes and results: those are found by
-- the block ranges of transfer_by_day, and no Place bet or lost bet writes here.
create index transfer_by_kind on purser.transfer (kind, at, player, currency, version)
  where kind in ('deposit', 'withdrawal', 'adjustment', 'opening', 'refund', 'payout_reversal');
