-- An adjustment that waits, or came to nothing, is found by what the operator calls it, without its player. An approved one is a movement of
-- that reference, which has its own index.
create index proposal_by_reference on purser.proposal (reference, player) where status <> 'approved';
