-- Late repeats (I-2) are looked for by their requestId, which must not grow slower with every call about the bet.
create index bet_call_acknowledged on purser.bet_call (player, bet_id, request_id)
  where operation in ('settle', 'unsettle') and outcome <> 'refused';
