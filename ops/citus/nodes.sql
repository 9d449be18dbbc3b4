-- Who belongs together, said to the coordinator at each start of the profile `citus`; what it knows already changes nothing.
select citus_set_coordinator_host('citus-coordinator', 5432);
select citus_add_node('citus-worker-1', 5432);
select citus_add_node('citus-worker-2', 5432);
