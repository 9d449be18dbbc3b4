-- Players are found by how they are known: the operator's id of them, the nickname, the e-mail address. The last two stand in the
-- profile in whatever spelling; their keys are the first 200 characters in lower case. Whoever writes a player writes them.
alter table purser.player
  add column nickname_key text collate "C",
  add column email_key text collate "C",
  add column brand text collate "C";
comment on column purser.player.nickname_key is 'customFields.nickname in lower case, for the search; email_key likewise.';
comment on column purser.player.brand is 'The site on which the player registered, for reports; it never changes.';

-- json takes "\u0000" and half a surrogate pair, text does not: such a profile has no key.
create function purser.profile_key(fields json, member text) returns text language plpgsql as $$
begin
  return left(lower(nullif(fields ->> member, '')), 200);
exception when others then
  return null;
end $$;
update purser.player set nickname_key = purser.profile_key(custom_fields, 'nickname'), email_key = purser.profile_key(custom_fields, 'email')
  where custom_fields is not null;
drop function purser.profile_key(json, text);

create index player_by_operator_user on purser.player (operator_user collate "C", player) where operator_user is not null;
create index player_by_nickname on purser.player (nickname_key, player) where nickname_key is not null;
create index player_by_email on purser.player (email_key, player) where email_key is not null;
create index player_barred on purser.player (player) where status = 'blocked' or self_excluded_until is not null;
create index player_by_brand on purser.player (brand, player) where brand is not null;
