/**
 * Lists faults outside the code for money. No test detected them, or similar faults in the same
 * files, when they were first planted by hand. Each fault now has a test.
 */

const ERASURE = ['packages/server/test/operator/player-erasure.test.ts']
const KEYS = ['packages/server/test/people/api-key-store.test.ts']
const EXPOSURE = ['packages/server/test/platform/exposure.test.ts']
const CONTROL = ['packages/server/test/platform/control-stage.test.ts']
const ABANDONED = ['packages/server/test/platform/recovery-scan.long.test.ts']
const ADMISSION = ['packages/server/test/http/admission-queue.test.ts']
const MOVE = ['packages/server/test/move/feed-there.test.ts']
const DISPATCHER = ['packages/server/test/feed/webhook-dispatcher.test.ts']
const DELIVERY = ['packages/server/test/feed/webhook-delivery.long.test.ts']
const WEBHOOKS = ['packages/server/test/feed/webhook-answers.test.ts']
const BALANCED = ['packages/server/test/ledger/ledger-balance.test.ts']
const PORTION = ['packages/server/test/archive/archive-portion.test.ts']
const CONNECTION_COLUMN = ['packages/server/test/db/connection-column.test.ts']
const PLATFORM_CSV = ['packages/server/test/reconcile/platform-csv.test.ts']
const TWO_DATABASES = ['packages/server/test/reconcile/two-databases.test.ts']
const REQUEST_LOG = ['packages/conformance/test/request-log.test.ts']
const BALANCE_READER = ['packages/conformance/test/balance-reader.test.ts']
const BETTORS = ['packages/server/test/sandbox/known-bettors.test.ts']
const CALLS_AT_END = ['packages/server/test/feed/calls-at-end.test.ts']
const MEMBERS_OF_FEED = "['bucket', 'size', 'at', 'events', 'last']"

/**
 * @type {Readonly<Record<string, readonly (
 *   readonly [search: string, planted: string, tests: readonly string[]]
 * )[]>>}
 */
export const UNSEEN_FAULTS = {
  'packages/server/src/wallet/operator-api/players/player-erasure.ts': [
    ['balance <> 0', 'balance > 0', ERASURE],
    ['balance <> 0', 'balance < 0', ERASURE],
    [" and status = 'open') as bets", " and status = 'settled') as bets", ERASURE],
    [" and status = 'pending' and expires_at > now()", " and status = 'pending'", ERASURE],
    [" and status = 'pending' and expires_at > now()", ' and false', ERASURE],
    ['  await requireNoObstacles(tx, bucket, userId)\n', '', ERASURE],
  ],
  'packages/server/src/core/auth/api-key-cache.ts': [
    ['CACHE_TTL_MS = 1_000', 'CACHE_TTL_MS = 10_000', KEYS],
    ['MIN_READ_INTERVAL_MS = 50', 'MIN_READ_INTERVAL_MS = 10', KEYS],
    ['since = environment.monotonicNow()', 'since = 0', KEYS],
  ],
  'packages/server/src/platform/store/exposure-totals.ts': [
    ['largest(outcomes.map((total) => total?.win))', 'outcomes[0]?.win ?? 0n', EXPOSURE],
    ['largest(outcomes.map((total) => total?.stake))', 'outcomes.at(-1)?.stake ?? 0n', EXPOSURE],
    [
      'largest(selections.map(({ eventId }) => this.events.get(eventId)))',
      'this.events.get(selections[0].eventId) ?? 0n',
      EXPOSURE,
    ],
  ],
  'packages/server/src/platform/recovery/abandoned-placements.ts': [
    [".filter((bet) => bet.status === 'placing')", '', ABANDONED],
  ],
  'packages/server/src/platform/placement/placement-decision.ts': [
    ['saveAcknowledged(tx, acknowledged.map(toAcknowledgedOpen)),', '', CONTROL],
    ['rolledBack.map(({ answered }) => answered).filter(isYes)', 'rolledBack.map(({ answered }) => answered)', CONTROL],
  ],
  'packages/server/src/core/partner-wire/admission-queue.ts': [
    [
      'if (!read.isAbandoned()) started += Math.max(1, read.start())',
      'started += Math.max(1, read.start())',
      ADMISSION,
    ],
    ['this.failures >= 1 ? Number.POSITIVE_INFINITY : now', 'now', ADMISSION],
    ['if (isExpired) this.expire(read)', 'if (isExpired) read.fail()', ADMISSION],
  ],
  'packages/server/src/core/webhooks/webhook-dispatcher.ts': [
    ['await renewClaim(claimedWebhook, true)', 'renewClaim(claimedWebhook, true)', DISPATCHER],
    [
      'if (isFree(webhook, claimed, heartbeats)) await claim',
      'if (isFree(webhook, claimed, heartbeats)) claim',
      DISPATCHER,
    ],
    ['      await working\n', '', DISPATCHER],
    ['      await Promise.all(all.map(', '      Promise.all(all.map(', DISPATCHER],
    ['await renewClaim(claimedWebhook, false)', 'renewClaim(claimedWebhook, false)', DISPATCHER],
  ],
  'packages/server/src/core/webhooks/webhook-delivery.ts': [
    ['  await Promise.all(chains.values())', '  Promise.all(chains.values())', DELIVERY],
    ['      await withTimeout<unknown>(', '      withTimeout<unknown>(', DISPATCHER],
    ['return await work()', 'return work()', DELIVERY],
    ['await rewindDelivery(', 'rewindDelivery(', DELIVERY],
  ],
  'packages/server/src/core/webhooks/webhook-routes.ts': [
    ['      await changeWebhook(deps', '      changeWebhook(deps', WEBHOOKS],
    ['await deps.db.transaction((tx) => actor.record(', 'deps.db.transaction((tx) => actor.record(', WEBHOOKS],
  ],
  'packages/server/src/wallet/ledger/ledger-balance.ts': [
    ['others: -(moved.get(currency) ?? 0n)', 'others: -(moved.get(currency) ?? 1n)', BALANCED],
    ['players: players.get(currency) ?? 0n', 'players: players.get(currency) ?? 1n', BALANCED],
    ['(sums.get(currency) ?? 0n) + BigInt(amount)', 'BigInt(amount)', BALANCED],
    ['...players.keys(), ...moved.keys()', '...players.keys()', BALANCED],
    [' where at >= $1::timestamptz group by', ' group by', BALANCED],
  ],
  'packages/server/src/wallet/relocate/feed-copy.ts': [
    [MEMBERS_OF_FEED, "['size', 'at', 'events', 'last']", MOVE],
    [MEMBERS_OF_FEED, "['bucket', 'at', 'events', 'last']", MOVE],
    [MEMBERS_OF_FEED, "['bucket', 'size', 'events', 'last']", MOVE],
    [MEMBERS_OF_FEED, "['bucket', 'size', 'at', 'last']", MOVE],
    ['there.length === expected.length &&', '', MOVE],
    ['      isSame &&= isEqual(await readSnapshot<ChangeRow>(to, IN_RANGE, range), expected)\n', '', MOVE],
    ['    isSame &&= isEqual(await readSnapshot<ChangeRow>(to, UNNUMBERED, []), expected)\n', '', MOVE],
    ['isSame: isSame && isWhole', 'isSame', MOVE],
    ['await to.longTransaction((tx) => tx.execute(SET_COUNT, [at]))', '', MOVE],
    ['        await tx.execute(REMOVE_RANGE, range)\n', '', MOVE],
    ['      await tx.execute(REMOVE_UNNUMBERED, [])\n', '', MOVE],
    ['  await to.longTransaction((tx) => tx.execute(REMOVE_OUTSIDE, [at, extent.count]))\n', '', MOVE],
  ],
  'packages/server/src/wallet/archive/archive-portion.ts': [
    ['b.changed_at, c.last_at', 'b.changed_at', PORTION],
    ['FINAL_STATUSES.includes(bet.status) && ', '', PORTION],
    [' && bet.last_at < limit', '', PORTION],
    ['bet_id !== null && !isFinalBefore(bets.get(bet_id), limit)', 'false', PORTION],
  ],
  'packages/server/src/wallet/archive/portion-removal.ts': [
    ['if (portion?.text !== written.text) return false', 'if (portion === undefined) return false', PORTION],
  ],
  'packages/server/src/core/database/encryption/encrypted-secrets.ts': [
    ['Object.keys(settings).length === 0', 'Object.keys(settings).length === 1', CONNECTION_COLUMN],
  ],
  'packages/server/src/reconcile/reconcile-command.ts': [
    ["if (name !== '' && !NAME.test(name))", "if (name !== '' || !NAME.test(name))", PLATFORM_CSV],
    ['isSame = api === undefined && ', 'isSame = api === undefined || ', TWO_DATABASES],
  ],
  'packages/server/src/reconcile/platform-row.ts': [
    ['if (missing.length > 0)', 'if (missing.length > 1)', PLATFORM_CSV],
    ['Object.entries({ betId, player, currency })', 'Object.entries({ player })', PLATFORM_CSV],
  ],
  'packages/conformance/src/platform/play/request-log.ts': [
    ['|| !(await nextArrival(listeners, left))', '|| (await nextArrival(listeners, left))', REQUEST_LOG],
  ],
  'packages/server/src/sandbox/bettors/bettor-simulation.ts': [
    ['    [409],\n', '', BETTORS],
    ['/deposits`, body, [409])', '/deposits`, body)', BETTORS],
  ],
  'packages/server/src/servers/wallet-server.ts': [
    ["  app.addHook('onClose', () => journal.stop())\n", '', CALLS_AT_END],
    ["  app.addHook('onClose', () => minutes.stop())\n", '', CALLS_AT_END],
  ],
  'packages/server/src/servers/gateway-server.ts': [
    ["  app.addHook('onClose', () => journal.stop())\n", '', CALLS_AT_END],
  ],
  'packages/conformance/src/wallet/play/balance-reader.ts': [
    ['amount < 0n ? 1n : amount + 1n', 'amount < 0n ? 1n : amount + 2n', BALANCE_READER],
    [" || above === 'kept'", '', BALANCE_READER],
  ],
}
