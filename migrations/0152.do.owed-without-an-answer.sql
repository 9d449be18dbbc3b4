-- Results that have been tried for six minutes without an answer need a person too (W-48).
comment on column platform.delivery.owed_since is
  'Since when it needs a person: stuck, refused with no later delivery of its bet, or tried again after an answer of 400 or after six minutes without any (C-5, C-9, W-48). owed_amount is the money that has not moved: below zero it is to be taken back from the player.';
