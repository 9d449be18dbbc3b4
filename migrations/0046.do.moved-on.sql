-- A row that has moved on since it was read, as an error with a name: a statement whose COMMIT is already on its way calls this where it has
-- written fewer rows than it was given, and nowhere else.
create function purser.moved_on(what text) returns int language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '% has moved on since it was read', what using errcode = 'PU001';
end
$$;
