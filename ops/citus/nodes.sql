-- The coordinator receives its workers at each start of the profile `citus`. A known worker changes
-- nothing.
select citus_set_coordinator_host('citus-coordinator', 5432);
select citus_add_node('citus-worker-1', 5432);
select citus_add_node('citus-worker-2', 5432);
