-- Placements that nobody answers for are looked for by their ids, from the oldest one that was seen last. Entries of those that are over stay
-- until the oldest snapshot has ended, and must not be passed at every look. Only who asks for placements can use the index, and no other.
drop index platform.delivery_placing;
create index delivery_placing on platform.delivery
  ((case when status = 'pending' and operation = 'place' then delivery_id end))
  where case when status = 'pending' and operation = 'place' then delivery_id end is not null;
