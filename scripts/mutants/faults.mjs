// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the searched text is source code

/**
 * Faults for `npm run mutants`, by file: a text that occurs once, its replacement, and the tests
 * that must detect it. Most are in SQL or at a bound, which a mutation tool for TypeScript does not
 * reach.
 */

import { FAST_PATH_FAULTS, FAST_PATH_TEXT_FAULTS } from './fast-path-faults.mjs'
import { UNSEEN_FAULTS } from './unseen-faults.mjs'

const RULES = ['test/wallet/life-table.test.ts', 'test/wallet/life-histories.test.ts']
const LIMITS = ['test/wallet/limits.test.ts']
const GATE = ['test/wallet/fast-path.test.ts']
const LANES = ['test/wallet/call-queue.test.ts']
const CODES = ['test/platform/result-codes.long.test.ts']
const RESULTS = ['test/platform/result-delivery.test.ts']
const ROLLBACKS = ['test/platform/rollback-schedule.long.test.ts']
const RECORD = ['test/platform/attempt-recorder.test.ts']
const SCHEDULE = ['test/platform/retry-backoff.test.ts']
const PLACING = ['test/platform/place-outcomes.test.ts']
const CLASSIFY = ['test/wallet-client/answer-classification.test.ts']
const CALLERS = ['test/wallet-client/four-callers.test.ts']
const BASE_URLS = ['test/protocol/base-url.test.ts']
const ROUTING = ['test/gateway/routing.test.ts', 'test/gateway/answers.test.ts', 'test/gateway/refusals.test.ts']
const MONEY = ['test/wallet/money.test.ts']
const BATCH = ['test/wallet/call-batch.test.ts', 'test/wallet/same-rows.test.ts']
const REPEATS = ['test/wallet/life-repeats.test.ts', ...BATCH]
const BOUNDS = ['test/wallet/bounds-of-results.test.ts']
const ADJUSTMENTS = ['test/operator/adjustments.test.ts']
const NEEDS = ['test/platform/needs-person.long.test.ts']
const WATCH = ['test/platform/lease-watch.test.ts']
const BREAKER = ['test/platform/circuit-breaker.test.ts']
const QUEUE = ['test/platform/queue-pages.test.ts']
const WINDOW = ['test/platform/concurrency-limit.test.ts']
const FOLLOW = ['test/platform/event-result-bisection.long.test.ts']
const BISECT_CLAIM = ['test/platform/bisect-claim.long.test.ts']
const DURABLE = ['test/db/durability.long.test.ts']

/**
 * @type {Readonly<Record<string, readonly (
 *   readonly [search: string, planted: string, tests: readonly string[]]
 * )[]>>}
 */
const BY_FILE = {
  'src/protocol/values/money.ts': [
    ['units > MAX_AMOUNT ?', 'units >= MAX_AMOUNT ?', ['test/protocol/money.test.ts']],
    ['value % divisor === 0n ? value / divisor : undefined', 'value / divisor', MONEY],
    ['&& !Object.is(value, -0)', '', ['test/protocol/money.test.ts']],
    ['<= LIMITS.amountDigits', '<= LIMITS.amountDigits + 1', MONEY],
    ['balance >= -MAX_BALANCE', 'true', ['test/protocol/money.test.ts']],
    ["padStart(scale + 1, '0')", "padStart(scale, '0')", ['test/protocol/money.test.ts']],
  ],
  'src/server/wallet/ledger/book-store.ts': [
    ['where a.version = excluded.opening_version', 'where true', ['test/ledger/book-store.test.ts']],
    ['count(*) < cardinality($2::text[])', 'count(*) > cardinality($2::text[])', ['test/ledger/book-store.test.ts']],
    ['case when excluded.day > a.day', 'case when excluded.day >= a.day', LIMITS],
  ],
  'src/server/wallet/ledger/book.ts': [
    ['dayOf(at) < day ?', 'false ?', GATE],
    ['posting.amount < 0n || ', '', ['test/ledger/book-store.test.ts']],
    [
      'version: account.version + 1n',
      'version: account.version + 2n',
      ['test/operator/deposits-and-withdrawals.test.ts'],
    ],
  ],
  'src/server/wallet/ledger/posting.ts': [["posting.debit === 'player' ? -posting.amount : 0n", '0n', RULES]],
  'src/server/wallet/store/bet-store.ts': [
    ['where b.calls < excluded.calls', 'where true', ['test/wallet/bet-store.test.ts']],
    ['count(*) < cardinality($2::text[])', 'count(*) > cardinality($2::text[])', ['test/wallet/bet-store.test.ts']],
  ],
  'src/server/wallet/queue/rules-path.ts': [
    ['return now > startBefore', 'return false', LANES],
    ["if (placed && decision.kind === 'apply') {", 'if (placed) {', BATCH],
    [', ...book.transfersOf(player, currency)]', ']', BATCH],
    ['stakeVersion: placed ? (transfers[0]?.version ?? null) : record.stakeVersion', 'stakeVersion: null', RULES],
    [
      'placeRequestId: placed ? call.requestId : record.placeRequestId',
      'placeRequestId: call.requestId',
      ['test/wallet/other-operation.test.ts'],
    ],
  ],
  'src/server/wallet/queue/call-batch.ts': [
    ['return day >= today', 'return day === today', ['test/wallet/limits-clocks.test.ts']],
    ['isUnrestricted(player) && !player.isMarked', 'false', GATE],
    ['isUnrestricted(player) && !player.isMarked', '!player.isMarked', GATE],
    ["kind === 'settle' || kind === 'unsettle'", "kind === 'settle'", REPEATS],
    [', uniqueBets(calls))', ", uniqueBets(calls.filter(({ kind }) => kind === 'settle')))", RULES],
  ],
  'src/server/wallet/store/bet-call-store.ts': [
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
      ['test/wallet/other-operation.test.ts'],
    ],
    [' and request_id = k.request_id', '', REPEATS],
  ],
  'src/server/wallet/queue/fast-path.ts': FAST_PATH_FAULTS,
  'src/server/wallet/queue/fast-path-sql.ts': FAST_PATH_TEXT_FAULTS,
  'src/server/wallet/queue/call-queue.ts': [
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
  'src/server/wallet/queue/lane-mode.ts': [
    ['TRANSITIONS[lane.mode].some((next) => next === mode)', 'true', ['test/wallet/lane-mode.test.ts']],
  ],
  'src/server/wallet/queue/batch-execution.ts': [
    ['if (!isOutage(error)) return [', 'return [', LANES],
    ['for (const entry of [...fastPathCalls, ...rulesPathCalls])', 'for (const entry of fastPathCalls)', LANES],
  ],
  'src/server/wallet/rules/player-restrictions.ts': [
    ['!isBlocked(player) && ', '', GATE],
    ['!isUnverified(player) && ', '', GATE],
    [' && !hasLimits(player)', '', GATE],
  ],
  'src/server/wallet/store/player.ts': [
    ["status || ' ' || coalesce", 'coalesce', GATE],
    ["coalesce(verified::text, '-')", "'-'", GATE],
    [" || ' ' || limits::text", '', GATE],
    ['if (isUnrestricted(player)) await markUnrestricted', 'if (!isUnrestricted(player)) await markUnrestricted', GATE],
  ],
  'src/server/wallet/rules/settle.ts': [
    ["call.resultType === 'refund' ? placement.funder : 'player'", "'player'", ['test/wallet/life-freebets.test.ts']],
    ['return sameMoney ? [] :', 'return', BATCH],
    ['(earlier.payee === later.payee || later.payout === ZERO)', 'true', ['test/wallet/life-freebets.test.ts']],
    [
      ' && call.resultType === settlement.resultType',
      '',
      ['test/wallet/life-repeats.test.ts', 'test/wallet/life-table.test.ts'],
    ],
  ],
  'src/server/wallet/rules/decision.ts': [
    ['effect < 0n && after < 0n', 'after < 0n', BOUNDS],
    ['> rules.resettleWindowMs', '>= rules.resettleWindowMs', BOUNDS],
    ['return fitsBalance(after)\n', 'return true\n', BOUNDS],
  ],
  'src/server/wallet/rules/replay-detection.ts': [
    ["isResult && (decision.kind === 'apply' || (", 'isResult && (true || (', REPEATS],
    ['&& decision.isNew === true', '&& false', REPEATS],
    ['refused.seq < lastResult', 'refused.seq < lastResult + 2', REPEATS],
    ['requestId === placeRequestId ||\n', '', ['test/wallet/other-operation.test.ts']],
  ],
  'src/server/wallet/rules/token-validity.ts': [
    ['session.expiresAt > now', 'session.expiresAt >= now', ['test/wallet/token-expiry.test.ts']],
    [' || session.player !== player', '', ['test/wallet/life-identity.test.ts', 'test/wallet/life-refusals.test.ts']],
    ['session.endedAt === null && ', '', ['test/wallet/fast-path.test.ts', 'test/wallet/session-profile.test.ts']],
  ],
  'src/server/wallet/rules/place.ts': [
    ['placement.stake === call.stake && ', '', ['test/wallet/life-order-of-checks.test.ts']],
    ["funder === 'player' && balance < call.stake", 'balance < call.stake', ['test/wallet/life-freebets.test.ts']],
    [
      'balance < call.stake',
      'balance <= call.stake',
      ['test/wallet/call-batch.test.ts', 'test/wallet/life-refusals.test.ts'],
    ],
  ],
  'src/server/wallet/rules/betting-eligibility.ts': [
    ['bets + 1 > limits.betCount', 'bets > limits.betCount', LIMITS],
    ['stakesThen - payouts', 'stakesThen', LIMITS],
    ['player.selfExcludedUntil > now', 'player.selfExcludedUntil >= now', ['test/wallet/moment-of-rules.test.ts']],
    ['birthday > latestBirthday(', 'birthday >= latestBirthday(', LIMITS],
  ],
  'src/server/wallet/rules/rollback.ts': [
    ['credit: placement.funder', "credit: 'player'", ['test/wallet/life-freebets.test.ts']],
  ],
  'src/server/wallet/rules/unsettle.ts': [['[...reversePayout(bet.settlement), ', '[', RULES]],
  'src/server/wallet/store/turnover.ts': [
    ["else if (transfer.kind === 'refund') stakes.delete(transfer.betId)\n", '', LIMITS],
  ],
  'src/server/wallet/operator-api/money/cash-movement.ts': [
    ['isDeepStrictEqual({ ...correction }, correctionColumns(requested))', 'true', ADJUSTMENTS],
    ["kind === 'adjustment' ? change : absolute(change)", 'absolute(change)', ADJUSTMENTS],
    ['if (change < 0n && after < 0n)', 'if (change < 0n && after < -1n)', ADJUSTMENTS],
  ],
  'src/server/core/auth/audit-log/audit-diff.ts': [
    ['if (SECRET_MEMBERS.has(name)) return MASK', '', ['test/people/audit-diff.test.ts']],
  ],
  'src/server/core/auth/audit-log/audit-log.ts': [
    ['actor.person === null ?', 'false ?', ['test/people/platform-audit-log.test.ts']],
    ['if (Object.keys({ ...before, ...after }).length === 0) return', '', ['test/people/wallet-audit-log.test.ts']],
  ],
  'src/server/platform/store/outbox.ts': [
    ['d.number = r.number + 1 and', 'd.number > r.number and', RESULTS],
    ['number >= FIRST_TO_OVERTAKE', 'number > FIRST_TO_OVERTAKE', NEEDS],
  ],
  'src/server/platform/store/attempt-outcome-store.ts': [
    [' and d.attempts = r.attempt', '', RECORD],
    ["and d.attempts = r.attempt and ${statusColumn('d')} = 'pending'", 'and d.attempts = r.attempt', RECORD],
    ['r.deliveries > d.number as has_later', 'false as has_later', RESULTS],
    ["<> 'refused' or r.deliveries = d.number", "<> 'refused'", NEEDS],
    [' for update skip locked', ' for update', RESULTS],
  ],
  'src/server/platform/delivery/manual-retry.ts': [[' and later.number > d.number', '', RESULTS]],
  'src/server/platform/delivery/delivery-claim.ts': [
    ['is_claimed = not c.is_late', 'is_claimed = false', WATCH],
    ['(due_at, delivery_id) > (k.after_due, k.after_id)', "(due_at, delivery_id) > ('-infinity', 0)", QUEUE],
    ['limit k.free ${lock}', '${lock}', ['test/platform/partners.long.test.ts']],
    ['not is_claimed\n       and due_at <= $1::timestamptz', 'not is_claimed', RECORD],
  ],
  'src/server/platform/recovery/lease-watch.ts': [
    ['return `${delivery_id}/${attempts}`', 'return `${delivery_id}`', WATCH],
  ],
  'src/server/platform/circuit-breaker.ts': [
    ['inFlight.results + inFlight.users === 0 && ', '', BREAKER],
    ['inFlight.results + inFlight.users === 0', 'inFlight.results === 0', ['test/platform/partner-down.long.test.ts']],
    ["use === 'rollbacks' || ", '', BREAKER],
    ['end.fault === null ? 0 : failures + 1', 'failures + 1', BREAKER],
    ['now - lastProbeAt >= PROBE_GAP_MS', 'true', BREAKER],
    ['sizeOf(use) - inFlight[use]', 'sizeOf(use)', BREAKER],
  ],
  'src/server/platform/concurrency-limit.ts': [
    ['else if (wasFull) size', 'else size', WINDOW],
    ['if (!isQuick) size', 'if (false) size', WINDOW],
  ],
  'src/server/platform/delivery/retry-backoff.ts': [
    ['at <= RESULT_WINDOW_MS', 'true', RESULTS],
    ['Math.max(planned, now, lastAt + gap / 2)', 'Math.max(planned, lastAt + gap / 2)', SCHEDULE],
    ['now, lastAt + gap / 2', 'now', SCHEDULE],
  ],
  'src/server/platform/delivery/attempt-recorder.ts': [
    ['reply.code === ALREADY_PROCESSED', 'true', ROLLBACKS],
    ['REFUSES_A_RESULT.includes(outcome.code)', 'true', CODES],
    ["result_type === 'cashout' && REFUSES", 'REFUSES', CODES],
    ["reason.endsWith('_body')", 'true', ROLLBACKS],
    ['isOwed: answer.status === BAD_REQUEST ||', 'isOwed: true ||', NEEDS],
    ['|| now.getTime() - first >= UNANSWERED_MS', '', NEEDS],
    ["isOwed: claim.result_type !== 'cashout'", 'isOwed: true', NEEDS],
  ],
  'src/server/platform/delivery/bisect-claim.ts': [
    ['state.claimed === 0 && state.failed.length > 1', 'state.failed.length > 1', BISECT_CLAIM],
    ['quarantine.add(due.delivery_id)', '', BISECT_CLAIM],
    ['mayBeEverywhere && !quarantine.isProven(failed.delivery_id)', 'mayBeEverywhere', BISECT_CLAIM],
    ['quarantine.suspect(failed.delivery_id)', 'continue', BISECT_CLAIM],
  ],
  'src/server/platform/recovery/stale-lease-detector.ts': [
    ['before.get(keyOf(item)) ?? ended', 'before.get(keyOf(item)) ?? ended - leaseMs', WATCH],
  ],
  'src/server/platform/bets/event-results.ts': [['(isSinglePass ||', '(true ||', FOLLOW]],
  'src/server/platform/recovery/results-recovery.ts': [
    ['!applying.has(formatResultsKey(results))', 'true', ['test/platform/event-results-recovery.test.ts']],
  ],
  'src/server/platform/bets/apply-event-result.ts': [["await applySlice(state, betIds, 'wait')", '', FOLLOW]],
  'src/server/platform/bets/bet-flow.ts': [['sumVersions(mine) <= bet', 'sumVersions(mine) < bet', FOLLOW]],
  'src/server/platform/placement/placement-decision.ts': [
    [' && outcome.code !== REPLY_CODES.system_error.code', '', PLACING],
    ["?.status === 'placing'\n", ' !== undefined\n', RECORD],
  ],
  'src/protocol/client/answer-classification.ts': [
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
  'src/protocol/client/network/wallet-connection.ts': [
    ['body[0] === 0xef', 'body[0] === 0xfe', CALLERS],
    ['maxResponseSize: MAX_ANSWER_BYTES,', '', CALLERS],
  ],
  'src/protocol/values/base-url.ts': [
    ["url.username !== '' || ", '', BASE_URLS],
    [".replaceAll(/\\/{2,}/g, '/')", '', BASE_URLS],
  ],
  'src/server/gateway/wire/call-rewriting.ts': [
    ['route.operatorToken ?? disguiseToken(token)', 'route.operatorToken ?? token', ROUTING],
    ['throw new WrongPlayerError()', 'return body', ROUTING],
  ],
  'src/server/wallet/wire/call-decoder.ts': [
    ['if (isBetCall(request))', 'if (false)', ['test/wallet/other-operation.test.ts']],
  ],
  'src/server/gateway/wire/gateway-call.ts': [
    ["endpoint !== 'bet' && isBetCall(body)", 'false', ['test/gateway/refusals.test.ts']],
  ],
  'src/server/wallet/operator-api/money/deposits-and-withdrawals.ts': [
    ['exclusion !== undefined && !despiteExclusion', 'false', ['test/operator/deposits-and-withdrawals.test.ts']],
  ],
  'src/server/core/database/postgres/durability.ts': [
    ["in ('off', 'local') then 'on'", "in ('off', 'local') then 'off'", DURABLE],
    ["in ('off', 'local')", "in ('off')", DURABLE],
    ['if (!warned.has(client)) return undefined', 'return undefined', DURABLE],
    ["routine === 'SyncRepWaitForLSN' || message.includes('synchronous replication')", 'false', DURABLE],
  ],
}

export const FAULTS = [BY_FILE, UNSEEN_FAULTS]
  .flatMap(Object.entries)
  .flatMap(([file, faults]) => faults.map(([search, planted, tests]) => ({ file, search, planted, tests })))
