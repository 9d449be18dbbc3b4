-- The last attempts of a webhook, which whoever delivers to it writes down with how far it has come. Ids and names of events only: no player.
alter table purser.webhook add column last_attempts json not null default '[]';
