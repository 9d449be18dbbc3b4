-- What is owed (C-9) is counted without reading the Place bets that were declined, which are most of what is refused.
create index delivery_refused on platform.delivery (bet_id) where status = 'refused' and operation <> 'place';
