// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the searched text is source code

/**
 * Faults for `npm run mutants`, by file: a text that occurs once, its replacement, and the tests
 * that must detect it. Most are in SQL or at a bound, which a mutation tool for TypeScript does not
 * reach.
 */

import { FAST_PATH_FAULTS, FAST_PATH_TEXT_FAULTS } from './fast-path-faults.mjs'
import { UNSEEN_FAULTS } from './unseen-faults.mjs'

const RULES = ['packages/server/test/wallet/life-table.test.ts', 'packages/server/test/wallet/life-histories.test.ts']
const LIMITS = ['packages/server/test/wallet/limits.test.ts']
const GATE = ['packages/server/test/wallet/fast-path.test.ts']
const LANES = ['packages/server/test/wallet/call-queue.test.ts']
const CODES = ['packages/server/test/platform/result-codes.long.test.ts']
const RESULTS = ['packages/server/test/platform/result-delivery.test.ts']
const ROLLBACKS = ['packages/server/test/platform/rollback-schedule.long.test.ts']
const RECORD = ['packages/server/test/platform/attempt-recorder.test.ts']
const SCHEDULE = ['packages/server/test/platform/retry-backoff.test.ts']
const PLACING = ['packages/server/test/platform/place-outcomes.test.ts']
const CLASSIFY = ['packages/protocol/test/client/answer-classification.test.ts']
const CALLERS = ['packages/server/test/wallet-client/four-callers.test.ts']
const BASE_URLS = ['packages/server/test/protocol/base-url.test.ts']
const ROUTING = [
  'packages/server/test/gateway/routing.test.ts',
  'packages/server/test/gateway/answers.test.ts',
  'packages/server/test/gateway/refusals.test.ts',
]
const MONEY = ['packages/server/test/wallet/money.test.ts']
const BATCH = ['packages/server/test/wallet/call-batch.test.ts', 'packages/server/test/wallet/same-rows.test.ts']
const REPEATS = ['packages/server/test/wallet/life-repeats.test.ts', ...BATCH]
const BOUNDS = ['packages/server/test/wallet/bounds-of-results.test.ts']
const ADJUSTMENTS = ['packages/server/test/operator/adjustments.test.ts']
const NEEDS = ['packages/server/test/platform/needs-person.long.test.ts']
const WATCH = ['packages/server/test/platform/lease-watch.test.ts']
const BREAKER = ['packages/server/test/platform/circuit-breaker.test.ts']
const QUEUE = ['packages/server/test/platform/queue-pages.test.ts']
const WINDOW = ['packages/server/test/platform/concurrency-limit.test.ts']
const FOLLOW = ['packages/server/test/platform/event-result-bisection.long.test.ts']
const BISECT_CLAIM = ['packages/server/test/platform/bisect-claim.long.test.ts']
const DURABLE = ['packages/server/test/db/durability.long.test.ts']

/**
 * @type {Readonly<Record<string, readonly (
 *   readonly [search: string, planted: string, tests: readonly string[]]
 * )[]>>}
 */
const BY_FILE = {
  'packages/protocol/src/values/money.ts': [
    ['units > MAX_AMOUNT ?', 'units >= MAX_AMOUNT ?', ['packages/protocol/test/money.test.ts']],
    ['value % divisor === 0n ? value / divisor : undefined', 'value / divisor', MONEY],
    ['&& !Object.is(value, -0)', '', ['packages/protocol/test/money.test.ts']],
    ['<= LIMITS.amountDigits', '<= LIMITS.amountDigits + 1', MONEY],
    ['balance >= -MAX_BALANCE', 'true', ['packages/protocol/test/money.test.ts']],
    ["padStart(scale + 1, '0')", "padStart(scale, '0')", ['packages/protocol/test/money.test.ts']],
  ],
  'packages/server/src/wallet/ledger/book-store.ts': [
    ['where a.version = excluded.opening_version', 'where true', ['packages/server/test/ledger/book-store.test.ts']],
    [
      'count(*) < cardinality($2::text[])',
      'count(*) > cardinality($2::text[])',
      ['packages/server/test/ledger/book-store.test.ts'],
    ],
    ['case when excluded.day > a.day', 'case when excluded.day >= a.day', LIMITS],
  ],
  'packages/server/src/wallet/ledger/book.ts': [
    ['dayOf(at) < day ?', 'false ?', GATE],
    ['posting.amount < 0n || ', '', ['packages/server/test/ledger/book-store.test.ts']],
    [
      'version: account.version + 1n',
      'version: account.version + 2n',
      ['packages/server/test/operator/deposits-and-withdrawals.test.ts'],
    ],
  ],
  'packages/server/src/wallet/ledger/posting.ts': [["posting.debit === 'player' ? -posting.amount : 0n", '0n', RULES]],
  'packages/server/src/wallet/store/bet-store.ts': [
    ['where b.calls < excluded.calls', 'where true', ['packages/server/test/wallet/bet-store.test.ts']],
    [
      'count(*) < cardinality($2::text[])',
      'count(*) > cardinality($2::text[])',
      ['packages/server/test/wallet/bet-store.test.ts'],
    ],
  ],
  'packages/server/src/wallet/queue/rules-path.ts': [
    ['return now > startBefore', 'return false', LANES],
    ["if (placed && decision.kind === 'apply') {", 'if (placed) {', BATCH],
    [', ...book.transfersOf(player, currency)]', ']', BATCH],
    ['stakeVersion: placed ? (transfers[0]?.version ?? null) : record.stakeVersion', 'stakeVersion: null', RULES],
    [
      'placeRequestId: placed ? call.requestId : record.placeRequestId',
      'placeRequestId: call.requestId',
      ['packages/server/test/wallet/other-operation.test.ts'],
    ],
  ],
  'packages/server/src/wallet/queue/call-batch.ts': [
    ['return day >= today', 'return day === today', ['packages/server/test/wallet/limits-clocks.test.ts']],
    ['isUnrestricted(player) && !player.isMarked', 'false', GATE],
    ['isUnrestricted(player) && !player.isMarked', '!player.isMarked', GATE],
    ["kind === 'settle' || kind === 'unsettle'", "kind === 'settle'", REPEATS],
    [', uniqueBets(calls))', ", uniqueBets(calls.filter(({ kind }) => kind === 'settle')))", RULES],
  ],
  'packages/server/src/wallet/store/bet-call-store.ts': [
    ["outcome <> 'refused' and ${SAME_CONTENT}", "outcome <> 'refused'", REPEATS],
    ["`select 'acknowledged' as became, effect_at", "`select 'acknowledged' as became, at as effect_at", REPEATS],
    [
      '${IS_FINAL_REFUSAL} and ${SAME_CONTENT} order by seq limit 1',
      '${IS_FINAL_REFUSAL} order by seq limit 1',
      REPEATS,
    ],
    [' order by seq limit 1', ' order by seq desc limit 1', REPEATS],
    [
      "operation = 'place' and k.operation",
      "operation = 'settle' and k.operation",
      ['packages/server/test/wallet/other-operation.test.ts'],
    ],
    [' and request_id = k.request_id', '', REPEATS],
  ],
  'packages/server/src/wallet/queue/fast-path.ts': FAST_PATH_FAULTS,
  'packages/server/src/wallet/queue/fast-path-sql.ts': FAST_PATH_TEXT_FAULTS,
  'packages/server/src/wallet/queue/call-queue.ts': [
    ['first.attempts >= MAX_ATTEMPTS', 'false', LANES],
    ['    endSweeping = undefined\n', '', LANES],
    ['entries.length > HOT_PLAYER_CALLS', 'entries.length > HOT_PLAYER_CALLS + 1', LANES],
    ['lane.waiting.unshift(...busy)', 'lane.waiting.push(...busy)', LANES],
    ['batch.fastPathCalls.length + batch.rulesPathCalls.length >= BUSY_BATCH', 'true', LANES],
    ['lane.waiting.length >= ENOUGH_WAITING) lane.wake()', 'false) lane.wake()', LANES],
    ['lane.waiting.unshift(...staying)', 'lane.waiting.push(...staying)', LANES],
    ['lane.running = [...batch.fastPathCalls, ...batch.rulesPathCalls]', 'lane.running = batch.rulesPathCalls', LANES],
    ["    enterLaneMode(lane, 'gathering')\n", '', LANES],
    ['Math.min(Math.trunc(tookMs), MAX_REST_MS)', 'MAX_REST_MS', LANES],
    ['Math.min(Math.trunc(tookMs), MAX_REST_MS)', 'Math.trunc(tookMs)', LANES],
    ['environment.monotonicNow() + SWEEP_MS', 'world.elapsed()', LANES],
    ['rulesPathCalls.push(...entries)', 'rulesPathCalls.push(first), staying.push(...others)', LANES],
  ],
  'packages/server/src/wallet/queue/lane-mode.ts': [
    ['TRANSITIONS[lane.mode].some((next) => next === mode)', 'true', ['packages/server/test/wallet/lane-mode.test.ts']],
  ],
  'packages/server/src/wallet/queue/batch-execution.ts': [
    ['if (!isOutage(error)) return [', 'return [', LANES],
    ['for (const entry of [...fastPathCalls, ...rulesPathCalls])', 'for (const entry of fastPathCalls)', LANES],
  ],
  'packages/server/src/wallet/rules/player-restrictions.ts': [
    ['!isBlocked(player) && ', '', GATE],
    ['!isUnverified(player) && ', '', GATE],
    [' && !hasLimits(player)', '', GATE],
  ],
  'packages/server/src/wallet/store/player.ts': [
    ["status || ' ' || coalesce", 'coalesce', GATE],
    ["coalesce(verified::text, '-')", "'-'", GATE],
    [" || ' ' || limits::text", '', GATE],
    ['if (isUnrestricted(player)) await markUnrestricted', 'if (!isUnrestricted(player)) await markUnrestricted', GATE],
  ],
  'packages/server/src/wallet/rules/settle.ts': [
    [
      "call.resultType === 'refund' ? placement.funder : 'player'",
      "'player'",
      ['packages/server/test/wallet/life-freebets.test.ts'],
    ],
    ['return sameMoney ? [] :', 'return', BATCH],
    [
      '(earlier.payee === later.payee || later.payout === ZERO)',
      'true',
      ['packages/server/test/wallet/life-freebets.test.ts'],
    ],
    [
      ' && call.resultType === settlement.resultType',
      '',
      ['packages/server/test/wallet/life-repeats.test.ts', 'packages/server/test/wallet/life-table.test.ts'],
    ],
  ],
  'packages/server/src/wallet/rules/decision.ts': [
    ['effect < 0n && after < 0n', 'after < 0n', BOUNDS],
    ['> rules.resettleWindowMs', '>= rules.resettleWindowMs', BOUNDS],
    ['return fitsBalance(after)\n', 'return true\n', BOUNDS],
  ],
  'packages/server/src/wallet/rules/replay-detection.ts': [
    ["isResult && (decision.kind === 'apply' || (", 'isResult && (true || (', REPEATS],
    ['&& decision.isNew === true', '&& false', REPEATS],
    ['refused.seq < lastResult', 'refused.seq < lastResult + 2', REPEATS],
    ['requestId === placeRequestId ||\n', '', ['packages/server/test/wallet/other-operation.test.ts']],
  ],
  'packages/server/src/wallet/rules/token-validity.ts': [
    ['session.expiresAt > now', 'session.expiresAt >= now', ['packages/server/test/wallet/token-expiry.test.ts']],
    [
      ' || session.player !== player',
      '',
      ['packages/server/test/wallet/life-identity.test.ts', 'packages/server/test/wallet/life-refusals.test.ts'],
    ],
    [
      'session.endedAt === null && ',
      '',
      ['packages/server/test/wallet/fast-path.test.ts', 'packages/server/test/wallet/session-profile.test.ts'],
    ],
  ],
  'packages/server/src/wallet/rules/place.ts': [
    ['placement.stake === call.stake && ', '', ['packages/server/test/wallet/life-order-of-checks.test.ts']],
    [
      "funder === 'player' && balance < call.stake",
      'balance < call.stake',
      ['packages/server/test/wallet/life-freebets.test.ts'],
    ],
    [
      'balance < call.stake',
      'balance <= call.stake',
      ['packages/server/test/wallet/call-batch.test.ts', 'packages/server/test/wallet/life-refusals.test.ts'],
    ],
  ],
  'packages/server/src/wallet/rules/betting-eligibility.ts': [
    ['bets + 1 > limits.betCount', 'bets > limits.betCount', LIMITS],
    ['stakesThen - payouts', 'stakesThen', LIMITS],
    [
      'player.selfExcludedUntil > now',
      'player.selfExcludedUntil >= now',
      ['packages/server/test/wallet/moment-of-rules.test.ts'],
    ],
    ['birthday > latestBirthday(', 'birthday >= latestBirthday(', LIMITS],
    ["else if (transfer.kind === 'refund') stakes.delete(transfer.betId)\n", '', LIMITS],
  ],
  'packages/server/src/wallet/rules/rollback.ts': [
    ['credit: placement.funder', "credit: 'player'", ['packages/server/test/wallet/life-freebets.test.ts']],
  ],
  'packages/server/src/wallet/rules/unsettle.ts': [['[...reversePayout(bet.settlement), ', '[', RULES]],
  'packages/server/src/wallet/operator-api/money/cash-movement.ts': [
    ['isDeepStrictEqual({ ...correction }, correctionColumns(requested))', 'true', ADJUSTMENTS],
    ["kind === 'adjustment' ? change : absolute(change)", 'absolute(change)', ADJUSTMENTS],
    ['if (change < 0n && after < 0n)', 'if (change < 0n && after < -1n)', ADJUSTMENTS],
  ],
  'packages/server/src/core/auth/audit-log/audit-diff.ts': [
    ['if (SECRET_MEMBERS.has(name)) return MASK', '', ['packages/server/test/people/audit-diff.test.ts']],
  ],
  'packages/server/src/core/auth/audit-log/audit-log.ts': [
    ['actor.person === null ?', 'false ?', ['packages/server/test/people/platform-audit-log.test.ts']],
    [
      'if (Object.keys({ ...before, ...after }).length === 0) return',
      '',
      ['packages/server/test/people/wallet-audit-log.test.ts'],
    ],
  ],
  'packages/server/src/platform/store/outbox.ts': [
    ['d.number = r.number + 1 and', 'd.number > r.number and', RESULTS],
    ['number >= FIRST_TO_OVERTAKE', 'number > FIRST_TO_OVERTAKE', NEEDS],
  ],
  'packages/server/src/platform/store/attempt-outcome-store.ts': [
    [' and d.attempts = r.attempt', '', RECORD],
    ["and d.attempts = r.attempt and ${statusColumn('d')} = 'pending'", 'and d.attempts = r.attempt', RECORD],
    ['r.deliveries > d.number as has_later', 'false as has_later', RESULTS],
    ["<> 'refused' or r.deliveries = d.number", "<> 'refused'", NEEDS],
    [' for update skip locked', ' for update', RESULTS],
  ],
  'packages/server/src/platform/delivery/manual-retry.ts': [[' and later.number > d.number', '', RESULTS]],
  'packages/server/src/platform/delivery/delivery-claim.ts': [
    ['is_claimed = not c.is_late', 'is_claimed = false', WATCH],
    ['(due_at, delivery_id) > (k.after_due, k.after_id)', "(due_at, delivery_id) > ('-infinity', 0)", QUEUE],
    ['limit k.free ${lock}', '${lock}', ['packages/server/test/platform/partners.long.test.ts']],
    ['not is_claimed\n       and due_at <= $1::timestamptz', 'not is_claimed', RECORD],
  ],
  'packages/server/src/platform/recovery/lease-watch.ts': [
    ['return `${delivery_id}/${attempts}`', 'return `${delivery_id}`', WATCH],
  ],
  'packages/server/src/platform/circuit-breaker.ts': [
    ['inFlight.results + inFlight.users === 0 && ', '', BREAKER],
    [
      'inFlight.results + inFlight.users === 0',
      'inFlight.results === 0',
      ['packages/server/test/platform/partner-down.long.test.ts'],
    ],
    ["use === 'rollbacks' || ", '', BREAKER],
    ['end.fault === null ? 0 : failures + 1', 'failures + 1', BREAKER],
    ['now - lastProbeAt >= PROBE_GAP_MS', 'true', BREAKER],
    ['sizeOf(use) - inFlight[use]', 'sizeOf(use)', BREAKER],
  ],
  'packages/server/src/platform/concurrency-limit.ts': [
    ['else if (wasFull) size', 'else size', WINDOW],
    ['if (!isQuick) size', 'if (false) size', WINDOW],
  ],
  'packages/server/src/platform/delivery/retry-backoff.ts': [
    ['at <= RESULT_WINDOW_MS', 'true', RESULTS],
    ['Math.max(planned, now, lastAt + gap / 2)', 'Math.max(planned, lastAt + gap / 2)', SCHEDULE],
    ['now, lastAt + gap / 2', 'now', SCHEDULE],
  ],
  'packages/server/src/platform/delivery/attempt-recorder.ts': [
    ['reply.code === ALREADY_PROCESSED', 'true', ROLLBACKS],
    ['REFUSES_A_RESULT.includes(outcome.code)', 'true', CODES],
    ["result_type === 'cashout' && REFUSES", 'REFUSES', CODES],
    ["reason.endsWith('_body')", 'true', ROLLBACKS],
    ['isOwed: answer.status === BAD_REQUEST ||', 'isOwed: true ||', NEEDS],
    ['|| now.getTime() - first >= UNANSWERED_MS', '', NEEDS],
    ["isOwed: claim.result_type !== 'cashout'", 'isOwed: true', NEEDS],
  ],
  'packages/server/src/platform/delivery/bisect-claim.ts': [
    ['state.claimed === 0 && state.failed.length > 1', 'state.failed.length > 1', BISECT_CLAIM],
    ['quarantine.add(due.delivery_id)', '', BISECT_CLAIM],
    ['mayBeEverywhere && !quarantine.isProven(failed.delivery_id)', 'mayBeEverywhere', BISECT_CLAIM],
    ['quarantine.suspect(failed.delivery_id)', 'continue', BISECT_CLAIM],
  ],
  'packages/server/src/platform/recovery/stale-lease-detector.ts': [
    ['before.get(keyOf(item)) ?? ended', 'before.get(keyOf(item)) ?? ended - leaseMs', WATCH],
  ],
  'packages/server/src/platform/bets/event-results.ts': [['(isSinglePass ||', '(true ||', FOLLOW]],
  'packages/server/src/platform/recovery/results-recovery.ts': [
    [
      '!applying.has(formatResultsKey(results))',
      'true',
      ['packages/server/test/platform/event-results-recovery.test.ts'],
    ],
  ],
  'packages/server/src/platform/bets/apply-event-result.ts': [["await applySlice(state, betIds, 'wait')", '', FOLLOW]],
  'packages/server/src/platform/bets/bet-flow.ts': [['sumVersions(mine) <= bet', 'sumVersions(mine) < bet', FOLLOW]],
  'packages/server/src/platform/placement/placement-decision.ts': [
    [' && outcome.code !== REPLY_CODES.system_error.code', '', PLACING],
    ["?.status === 'placing'\n", ' !== undefined\n', RECORD],
  ],
  'packages/protocol/src/client/answer-classification.ts': [
    [
      "transactionId !== undefined && 'transactionId' in reply && reply.transactionId !== transactionId",
      'false',
      CLASSIFY,
    ],
    [' || !Number.isInteger(reply.code)', '', CLASSIFY],
    ['status !== 200 && status !== 400', 'status >= 500', CLASSIFY],
    ['isBetOperation(operation) && hasRefusalCode(reply)', 'false', CLASSIFY],
    ['namesPlayer(operation) && !isUtf8(body)', 'false', CALLERS],
  ],
  'packages/protocol/src/client/network/wallet-connection.ts': [
    ['body[0] === 0xef', 'body[0] === 0xfe', CALLERS],
    ['maxResponseSize: MAX_ANSWER_BYTES,', '', CALLERS],
  ],
  'packages/protocol/src/values/base-url.ts': [
    ["url.username !== '' || ", '', BASE_URLS],
    [".replaceAll(/\\/{2,}/g, '/')", '', BASE_URLS],
  ],
  'packages/server/src/gateway/wire/call-rewriting.ts': [
    ['route.operatorToken ?? disguiseToken(token)', 'route.operatorToken ?? token', ROUTING],
    ['throw new WrongPlayerError()', 'return body', ROUTING],
  ],
  'packages/server/src/wallet/wire/call-decoder.ts': [
    ['if (isBetCall(request))', 'if (false)', ['packages/server/test/wallet/other-operation.test.ts']],
  ],
  'packages/server/src/gateway/wire/gateway-call.ts': [
    ["endpoint !== 'bet' && isBetCall(body)", 'false', ['packages/server/test/gateway/refusals.test.ts']],
  ],
  'packages/server/src/wallet/operator-api/money/deposits-and-withdrawals.ts': [
    [
      'exclusion !== undefined && !despiteExclusion',
      'false',
      ['packages/server/test/operator/deposits-and-withdrawals.test.ts'],
    ],
  ],
  'packages/server/src/core/database/postgres/durability.ts': [
    ["in ('off', 'local') then 'on'", "in ('off', 'local') then 'off'", DURABLE],
    ["in ('off', 'local')", "in ('off')", DURABLE],
    ['if (!warned.has(client)) return undefined', 'return undefined', DURABLE],
    ["routine === 'SyncRepWaitForLSN' || message.includes('synchronous replication')", 'false', DURABLE],
  ],
}

export const FAULTS = [BY_FILE, UNSEEN_FAULTS]
  .flatMap(Object.entries)
  .flatMap(([file, faults]) => faults.map(([search, planted, tests]) => ({ file, search, planted, tests })))
