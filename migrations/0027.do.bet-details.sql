-- What only describes a bet (odds, selections …) is most of what a bet is in bytes. It is written once, apart from the state, which every call
-- rewrites. The key begins with the time of the bet: rows and keys of new bets lie side by side, so that few pages change.
create table purser.bet_details (
  bucket        integer not null,
  first_seen_at timestamptz not null,
  bet_id        text collate "C" not null,
  player        text collate "C" not null,
  details       json not null,
  primary key (bucket, first_seen_at, bet_id, player)
);
comment on table purser.bet_details is 'What describes a placed bet, found by the first_seen_at of its row in purser.bet. Append-only.';
comment on column purser.bet.details is 'Of bets before purser.bet_details.';

-- Room for the next state beside the last one, which is a little larger: a result then changes no index.
alter table purser.bet set (fillfactor = 45);
