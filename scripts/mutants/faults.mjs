/**
 * Faults for `npm run mutants`: in a file, what stands there once, what is planted instead, and the tests that must see it.
 * Most are in SQL or at a bound, where a tool that changes TypeScript does not reach.
 */

const RULES = ['test/wallet/life-table.test.ts', 'test/wallet/life-histories.test.ts']
const LIMITS = ['test/wallet/limits.test.ts']
const MEMORY = ['test/wallet/account-memory.test.ts']
const RESULTS = ['test/platform/result-delivery.test.ts']
const ROLLBACKS = ['test/platform/rollback-schedule.test.ts']
const RECORD = ['test/platform/record.test.ts']
const SCHEDULE = ['test/platform/schedule.test.ts']
const PLACING = ['test/platform/place-outcomes.test.ts']
const CLASSIFY = ['test/wallet-client/classify.test.ts']
const ROUTING = ['test/gateway/routing.test.ts', 'test/gateway/answers.test.ts', 'test/gateway/refusals.test.ts']
const MONEY = ['test/wallet/money.test.ts']

/** @type {Readonly<Record<string, readonly (readonly [search: string, planted: string, tests: readonly string[]])[]>>} */
const BY_FILE = {
  'src/protocol/money.ts': [
    ['units > MAX_AMOUNT ?', 'units >= MAX_AMOUNT ?', ['test/protocol/money.test.ts']],
    ['value % divisor === 0n ? value / divisor : undefined', 'value / divisor', MONEY],
    ['&& !Object.is(value, -0)', '', ['test/protocol/money.test.ts']],
    ['<= LIMITS.amountDigits', '<= LIMITS.amountDigits + 1', MONEY],
    ['balance >= -MAX_BALANCE', 'true', ['test/protocol/money.test.ts']],
    ["padStart(scale + 1, '0')", "padStart(scale, '0')", ['test/protocol/money.test.ts']],
  ],
  'src/ledger/post.ts': [
    ['where a.version = excluded.opening_version', 'where true', MEMORY],
    [
      'select 1 / (count(*) = $8::int)::int from saved',
      'select 1 / (count(*) <= $8::int)::int from saved',
      ['test/ledger/post.test.ts'],
    ],
    ['case when excluded.day > a.day', 'case when excluded.day >= a.day', LIMITS],
  ],
  'src/ledger/book.ts': [
    ['dayOf(at) < day ?', 'false ?', MEMORY],
    ['posting.amount < 0n || ', '', ['test/ledger/post.test.ts']],
    ['version: account.version + 1n', 'version: account.version + 2n', ['test/operator/cash.test.ts']],
  ],
  'src/ledger/posting.ts': [["posting.debit === 'player' ? -posting.amount : 0n", '0n', RULES]],
  'src/wallet/bet-store.ts': [
    ['where b.calls < excluded.calls', 'where true', ['test/wallet/bet-store.test.ts']],
    [
      'returning 1\n   ) select 1 / (count(*) = $19::int)::int',
      'returning 1\n   ) select 1 / (count(*) <= $19::int)::int',
      ['test/wallet/bet-store.test.ts'],
    ],
    ["'(select count(*) from locked) = $19::int'", "'true'", MEMORY],
    [
      'upsertAccounts(12, ALL_LOCKED)})\n   select 1 / (count(*) = $19::int)::int',
      'upsertAccounts(12, ALL_LOCKED)})\n   select 1 / (count(*) <= $19::int)::int',
      MEMORY,
    ],
  ],
  'src/wallet/decide/token.ts': [
    ['session.expiresAt > now', 'session.expiresAt >= now', ['test/wallet/token-expiry.test.ts']],
    [' || session.player !== player', '', ['test/wallet/life-identity.test.ts', 'test/wallet/life-refusals.test.ts']],
    ['session.endedAt === null && ', '', ['test/wallet/known.test.ts', 'test/wallet/life-refusals.test.ts']],
  ],
  'src/wallet/decide/place.ts': [
    ['placement.stake === call.stake && ', '', ['test/wallet/life-grid.test.ts']],
    ["funder === 'player' && balance < call.stake", 'balance < call.stake', ['test/wallet/life-freebets.test.ts']],
    [
      'balance < call.stake',
      'balance <= call.stake',
      ['test/wallet/batch.test.ts', 'test/wallet/life-refusals.test.ts'],
    ],
  ],
  'src/wallet/decide/place-limits.ts': [
    ['bets + 1 > limits.betCount', 'bets > limits.betCount', LIMITS],
    ['stakesThen - payouts', 'stakesThen', LIMITS],
    ['player.selfExcludedUntil > now', 'player.selfExcludedUntil >= now', ['test/wallet/moment-of-rules.test.ts']],
    ['birthday <= latest', 'birthday < latest', LIMITS],
  ],
  'src/wallet/decide/rollback.ts': [
    ['credit: placement.funder', "credit: 'player'", ['test/wallet/life-freebets.test.ts']],
  ],
  'src/wallet/decide/unsettle.ts': [['[...takeBack(bet.settlement), ', '[', RULES]],
  'src/wallet/turnover.ts': [["else if (transfer.kind === 'refund') stakes.delete(transfer.betId)\n", '', LIMITS]],
  'src/wallet/account-memory.ts': [
    ['entry?.isCommitted && ', 'entry !== undefined && ', MEMORY],
    ['if (connection !== current) entries.clear()', '', MEMORY],
  ],
  'src/platform/outbox.ts': [
    [' and d.attempts = r.attempt', '', RECORD],
    ["and d.attempts = r.attempt and d.status = 'pending'", 'and d.attempts = r.attempt', RECORD],
    ['d.number = r.number + 1 and', 'd.number > r.number and', RESULTS],
    [' and later.number > d.number', '', RESULTS],
  ],
  'src/platform/claim.ts': [
    ['limit k.free for update skip locked', 'for update skip locked', ['test/platform/partners.test.ts']],
    ['due.tried >= $7::int', 'due.tried > $7::int', RECORD],
    [
      "status = 'pending' and operation <> 'place'\n       order by due_at limit k.free",
      "status = 'pending'\n       order by due_at limit k.free",
      RECORD,
    ],
  ],
  'src/platform/schedule.ts': [
    ['at <= RESULT_WINDOW_MS', 'true', RESULTS],
    ['Math.max(planned, elapsed)', 'planned', SCHEDULE],
  ],
  'src/platform/record.ts': [
    ['outcome.code === ALREADY_PROCESSED', 'true', ROLLBACKS],
    ["claim.operation === 'rollback' && isWholeRefusal", 'isWholeRefusal', RESULTS],
  ],
  'src/platform/placing.ts': [
    [' && outcome.code !== SYSTEM_ERROR', '', PLACING],
    ["bet.status === 'placing' ?", 'true ?', RECORD],
  ],
  'src/wallet-client/classify.ts': [
    [
      "transactionId !== undefined && 'transactionId' in reply && reply.transactionId !== transactionId",
      'false',
      CLASSIFY,
    ],
    [' || !Number.isInteger(reply.code)', '', CLASSIFY],
    ['status !== 200 && status !== 400', 'status >= 500', CLASSIFY],
  ],
  'src/gateway/rewrite.ts': [
    ['route.operatorToken ?? disguise(token)', 'route.operatorToken ?? token', ROUTING],
    ['throw new WrongPlayer()', 'return body', ROUTING],
  ],
}

export const FAULTS = Object.entries(BY_FILE).flatMap(([file, faults]) =>
  faults.map(([search, planted, tests]) => ({ file, search, planted, tests })),
)
