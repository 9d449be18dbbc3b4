-- bet_call_late and the primary key do its work.
drop index purser.bet_call_acknowledged;
