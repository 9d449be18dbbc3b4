-- A process from before sites were kept would keep a day as if its bets had none, and a day is kept once. Without a default it
-- cannot; a process of today keeps the day.
alter table purser.daily_sum alter column site drop default;
