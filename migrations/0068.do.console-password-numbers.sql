-- A session of the console belongs to the password that it was begun with (U-4), told by its number and by no clock: a sign-in that was under way
-- while a new password was given ends with the old one. Sessions from before this have no number: who is signed in by name signs in once more.
alter table purser.console_person add column password_number integer not null default 1 check (password_number > 0);
alter table purser.console_session add column password_number integer;
alter table platform.console_person add column password_number integer not null default 1 check (password_number > 0);
alter table platform.console_session add column password_number integer;
