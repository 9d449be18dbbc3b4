-- Money of what needs a person (C-9) is the bet's: what was decided last, without what the partner has acknowledged. Behind a delivery that is tried
-- again or stuck there may be a later decision.
update platform.delivery d
  set owed_amount = round((
      case b.status when 'settled' then b.payout when 'cancelled' then b.stake else 0 end
      - case b.told_status when 'settled' then b.told_payout when 'cancelled' then b.stake else 0 end
    ) / power(10::numeric, c.scale::numeric), c.scale), owed_currency = b.currency
  from platform.bet b join platform.currency c using (currency)
  where d.owed_since is not null and b.bet_id = d.bet_id;
