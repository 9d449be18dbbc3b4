-- A boost needs an express (D-6). Bets from before that rule were accepted with a boost that is paid on one selection too. They keep it, whenever their
-- results come or change: what was accepted is what is paid.
-- The default is that of a server from before, which does not name the column, in a rolling upgrade.
alter table platform.bet add column boosts_single boolean not null default true;
comment on column platform.bet.boosts_single is
  'The boost is paid also where one selection is left: the bet was accepted before a boost needed an express (D-6).';
