-- Grows with every change of the player's row or of its sessions. A wallet process that remembers a player or a token
-- compares it under the player's lock: what was read under the same version is still true.
alter table purser.player add column version bigint not null default 0;
