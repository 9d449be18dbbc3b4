-- Each node of the profile `citus` needs this file after compose-roles.sql: Citus in the database,
-- and the passwords with which nodes sign in to each other.
\set superuser `cat /run/secrets/postgres-password`
\set owner `cat /run/secrets/owner-password`
\set wallet `cat /run/secrets/wallet-password`
\connect purser
create extension citus;
insert into pg_dist_authinfo (nodeid, rolename, authinfo) values
  (0, 'postgres', 'password=' || :'superuser'),
  (0, 'purser_owner', 'password=' || :'owner'),
  (0, 'purser_wallet', 'password=' || :'wallet');
