-- Functions belong to everybody unless this is said; each server has what it needs and no more (rights.ts).
revoke all on function purser.moved_on(text) from public;
