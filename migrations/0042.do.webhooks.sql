-- Webhooks: who is told of the wallet's changes, and how far (src/feed/webhooks). One process at a time delivers to each: it holds the claim, and
-- counts `beat` up as long as it lives. What is removed stays, so that no server needs the right to delete.
create table purser.webhook (
  webhook_id    text collate "C" primary key,
  url           text not null,
  events        text[] not null,
  secrets       json not null,
  old_until     timestamptz,
  state         text not null check (state in ('active', 'disabled', 'removed')),
  done_to       bigint not null,
  failing_since timestamptz,
  last_error    text,
  claim         uuid,
  beat          bigint not null default 0,
  made_at       timestamptz not null
);
comment on table purser.webhook is
  'events: their names, empty for all. secrets: encrypted (O-5), the first signs alone once old_until has passed. done_to: the id of the last event up to which all is acknowledged.';
