/**
 * Faults that were planted by hand in other parts than the money paths and that no test saw, with others of their kind in
 * the same files. Each has a test now.
 */

const ERASURE = ['test/operator/erasure.test.ts']
const KEYS = ['test/people/key-store.test.ts']
const EXPOSURE = ['test/platform/exposure.test.ts']
const CONTROL = ['test/platform/control-stage.test.ts']
const ABANDONED = ['test/platform/abandoned.test.ts']
const DOOR = ['test/http/door.test.ts']
const MOVE = ['test/move/feed-there.test.ts']
const DISPATCHER = ['test/feed/dispatcher.test.ts']
const DELIVERY = ['test/feed/delivery.test.ts']
const WEBHOOKS = ['test/feed/webhook-answers.test.ts']
const BALANCED = ['test/ledger/balanced.test.ts']
const PORTION = ['test/archive/portion.test.ts']
const MEMBERS_OF_FEED = "['bucket', 'size', 'at', 'events', 'last']"

/** @type {Readonly<Record<string, readonly (readonly [search: string, planted: string, tests: readonly string[]])[]>>} */
export const UNSEEN_FAULTS = {
  'src/operator/erasure.ts': [
    ['balance <> 0', 'balance > 0', ERASURE],
    ['balance <> 0', 'balance < 0', ERASURE],
    [" and status = 'open') as bets", " and status = 'settled') as bets", ERASURE],
    [" and status = 'pending' and expires_at > now()", " and status = 'pending'", ERASURE],
    [" and status = 'pending' and expires_at > now()", ' and false', ERASURE],
    ['  await requireNothingLeft(tx, bucket, userId)\n', '', ERASURE],
  ],
  'src/people/keyring.ts': [
    ['REMEMBER_MS = 1_000', 'REMEMBER_MS = 10_000', KEYS],
    ['APART_MS = 50', 'APART_MS = 10', KEYS],
    ['since = world.elapsed()', 'since = 0', KEYS],
  ],
  'src/platform/bets/totals.ts': [
    ['largest(outcomes.map((total) => total?.win))', 'outcomes[0]?.win ?? 0n', EXPOSURE],
    ['largest(outcomes.map((total) => total?.stake))', 'outcomes.at(-1)?.stake ?? 0n', EXPOSURE],
    [
      'largest(selections.map(({ eventId }) => this.events.get(eventId)))',
      'this.events.get(selections[0].eventId) ?? 0n',
      EXPOSURE,
    ],
  ],
  'src/platform/bets/placing.ts': [[".filter((bet) => bet.status === 'placing')", '', ABANDONED]],
  'src/platform/bets/closing.ts': [
    ['saveTold(tx, told.map(toldOpen)),', '', CONTROL],
    ['rolledBack.map(({ answered }) => answered).filter(isYes)', 'rolledBack.map(({ answered }) => answered)', CONTROL],
  ],
  'src/http/door.ts': [
    ['      this.callers.delete(socket)\n      this', '      this', DOOR],
    ['      this.line.leave(socket)\n', '', DOOR],
  ],
  'src/feed/webhooks/dispatcher.ts': [
    ['await keep(one, true)', 'keep(one, true)', DISPATCHER],
    ['if (isFree(webhook, held, seen)) await claim', 'if (isFree(webhook, held, seen)) claim', DISPATCHER],
    ['      await working\n', '', DISPATCHER],
    ['      await Promise.all(all.map(', '      Promise.all(all.map(', DISPATCHER],
    ['await keep(one, false)', 'keep(one, false)', DISPATCHER],
  ],
  'src/feed/webhooks/delivery.ts': [
    ['  await Promise.all(chains.values())', '  Promise.all(chains.values())', DELIVERY],
    ['      await inTime<unknown>(', '      inTime<unknown>(', DISPATCHER],
    ['return await work()', 'return work()', DELIVERY],
    ['await goBackTo(', 'goBackTo(', DELIVERY],
  ],
  'src/feed/webhooks/routes.ts': [
    ['      await change(deps', '      change(deps', WEBHOOKS],
    ['await deps.db.transaction((tx) => author.record(', 'deps.db.transaction((tx) => author.record(', WEBHOOKS],
  ],
  'src/ledger/balanced.ts': [
    ['others: -(moved.get(currency) ?? 0n)', 'others: -(moved.get(currency) ?? 1n)', BALANCED],
    ['players: players.get(currency) ?? 0n', 'players: players.get(currency) ?? 1n', BALANCED],
    ['(sums.get(currency) ?? 0n) + BigInt(amount)', 'BigInt(amount)', BALANCED],
    ['...players.keys(), ...moved.keys()', '...players.keys()', BALANCED],
    [' where at >= $1::timestamptz group by', ' group by', BALANCED],
  ],
  'src/move/feed.ts': [
    [MEMBERS_OF_FEED, "['size', 'at', 'events', 'last']", MOVE],
    [MEMBERS_OF_FEED, "['bucket', 'at', 'events', 'last']", MOVE],
    [MEMBERS_OF_FEED, "['bucket', 'size', 'events', 'last']", MOVE],
    [MEMBERS_OF_FEED, "['bucket', 'size', 'at', 'last']", MOVE],
    ['there.length === wanted.length &&', '', MOVE],
    ['      isSame &&= isEqual(await read<ChangeRow>(to, IN_RANGE, range), wanted)\n', '', MOVE],
    ['    isSame &&= isEqual(await read<ChangeRow>(to, UNNUMBERED, []), wanted)\n', '', MOVE],
    ['isSame: isSame && isWhole', 'isSame', MOVE],
    ['await to.unhurried((tx) => tx.execute(SET_COUNT, [at]))', '', MOVE],
    ['        await tx.execute(REMOVE_RANGE, range)\n', '', MOVE],
    ['      await tx.execute(REMOVE_UNNUMBERED, [])\n', '', MOVE],
    ['  await to.unhurried((tx) => tx.execute(REMOVE_OUTSIDE, [at, extent.count]))\n', '', MOVE],
  ],
  'src/archive/portion.ts': [
    ['b.changed_at, c.last_at', 'b.changed_at', PORTION],
    ['OVER.includes(bet.status) && ', '', PORTION],
    [' && bet.last_at < limit', '', PORTION],
    ['bet_id !== null && !isOver(bets.get(bet_id), limit)', 'false', PORTION],
  ],
  'src/archive/take.ts': [
    ['if (portion?.text !== written.text) return false', 'if (portion === undefined) return false', PORTION],
  ],
}
