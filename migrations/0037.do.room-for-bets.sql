-- A bet's row is rewritten when it is closed, decided and told, together with its neighbours: those that were placed in one batch, or stand in one
-- slice of a result. With half of each page free they find room on their own page, and write no index (HOT).
alter table platform.bet set (fillfactor = 50);
