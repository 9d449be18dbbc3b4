-- A claim has no end by any clock (C-12).
comment on table platform.delivery is 'One call to a partner, tried until it is over. waiting: an earlier one of the same bet is not over; pending: due at due_at; a delivery on its way is due at infinity, and due again when a process has watched that claim unchanged for a whole lease.';
