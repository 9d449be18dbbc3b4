-- The roles of compose.yaml, made by the postgres image when it makes its data: who owns the schema, and who runs the wallet.
\set owner `cat /run/secrets/owner-password`
\set wallet `cat /run/secrets/wallet-password`
create role purser_owner login password :'owner';
create role purser_wallet login password :'wallet';
create database purser owner purser_owner;
