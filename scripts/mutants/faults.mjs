// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the searched text is source code

/**
 * Faults for `npm run mutants`: in a file, what stands there once, what is planted instead, and the tests that must see it.
 * Most are in SQL or at a bound, where a tool that changes TypeScript does not reach.
 */

import { GATE_FAULTS, GATE_TEXT_FAULTS } from './gate-faults.mjs'
import { UNSEEN_FAULTS } from './unseen-faults.mjs'

const RULES = ['test/wallet/life-table.test.ts', 'test/wallet/life-histories.test.ts']
const LIMITS = ['test/wallet/limits.test.ts']
const GATE = ['test/wallet/gate.test.ts']
const LANES = ['test/wallet/lanes.test.ts']
const CODES = ['test/platform/result-codes.test.ts']
const RESULTS = ['test/platform/result-delivery.test.ts']
const ROLLBACKS = ['test/platform/rollback-schedule.test.ts']
const RECORD = ['test/platform/record.test.ts']
const SCHEDULE = ['test/platform/schedule.test.ts']
const PLACING = ['test/platform/place-outcomes.test.ts']
const CLASSIFY = ['test/wallet-client/classify.test.ts']
const CALLERS = ['test/wallet-client/four-callers.test.ts']
const BASE_URLS = ['test/protocol/base-url.test.ts']
const ROUTING = ['test/gateway/routing.test.ts', 'test/gateway/answers.test.ts', 'test/gateway/refusals.test.ts']
const MONEY = ['test/wallet/money.test.ts']
const BATCH = ['test/wallet/batch.test.ts', 'test/wallet/same-rows.test.ts']
const REPEATS = ['test/wallet/life-repeats.test.ts', ...BATCH]
const BOUNDS = ['test/wallet/bounds-of-results.test.ts']
const ADJUSTMENTS = ['test/operator/adjustments.test.ts']
const NEEDS = ['test/platform/needs-person.test.ts']
const WATCH = ['test/platform/claim-watch.test.ts']
const BREAKER = ['test/platform/breaker.test.ts']
const QUEUE = ['test/platform/queue-pages.test.ts']
const WINDOW = ['test/platform/window.test.ts']
const FOLLOW = ['test/platform/results-apart.long.test.ts']
const CLAIM_APART = ['test/platform/claims-apart.long.test.ts']
const DURABLE = ['test/db/durability.long.test.ts']

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
    ['where a.version = excluded.opening_version', 'where true', ['test/ledger/post.test.ts']],
    ['count(*) < cardinality($2::text[])', 'count(*) > cardinality($2::text[])', ['test/ledger/post.test.ts']],
    ['case when excluded.day > a.day', 'case when excluded.day >= a.day', LIMITS],
  ],
  'src/ledger/book.ts': [
    ['dayOf(at) < day ?', 'false ?', GATE],
    ['posting.amount < 0n || ', '', ['test/ledger/post.test.ts']],
    ['version: account.version + 1n', 'version: account.version + 2n', ['test/operator/cash.test.ts']],
  ],
  'src/ledger/posting.ts': [["posting.debit === 'player' ? -posting.amount : 0n", '0n', RULES]],
  'src/wallet/store/bet-store.ts': [
    ['where b.calls < excluded.calls', 'where true', ['test/wallet/bet-store.test.ts']],
    ['count(*) < cardinality($2::text[])', 'count(*) > cardinality($2::text[])', ['test/wallet/bet-store.test.ts']],
  ],
  'src/wallet/apply/judge.ts': [
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
  'src/wallet/apply/batch.ts': [
    ['return day >= today', 'return day === today', ['test/wallet/limits-clocks.test.ts']],
    ['isPlain(player) && !player.isMarked', 'false', GATE],
    ['isPlain(player) && !player.isMarked', '!player.isMarked', GATE],
    ["kind === 'settle' || kind === 'unsettle'", "kind === 'settle'", REPEATS],
    [', uniqueBets(calls))', ", uniqueBets(calls.filter(({ kind }) => kind === 'settle')))", RULES],
  ],
  'src/wallet/store/call-store.ts': [
    ["outcome <> 'refused' and ${SAME_CONTENT}", "outcome <> 'refused'", REPEATS],
    ["`select 'acknowledged' as became, effect_at", "`select 'acknowledged' as became, at as effect_at", REPEATS],
    ['${IS_FINAL} and ${SAME_CONTENT} order by seq limit 1', '${IS_FINAL} order by seq limit 1', REPEATS],
    [' order by seq limit 1', ' order by seq desc limit 1', REPEATS],
    [
      "operation = 'place' and k.operation",
      "operation = 'settle' and k.operation",
      ['test/wallet/other-operation.test.ts'],
    ],
    [' and request_id = k.request_id', '', REPEATS],
  ],
  'src/wallet/apply/gate.ts': GATE_FAULTS,
  'src/wallet/apply/gate-text.ts': GATE_TEXT_FAULTS,
  'src/wallet/apply/lanes.ts': [
    ['first.tries >= MAX_TRIES', 'false', LANES],
    ['    endSweeping = undefined\n', '', LANES],
    ['entries.length > HOT', 'entries.length > HOT + 1', LANES],
    ['lane.waiting.unshift(...busy)', 'lane.waiting.push(...busy)', LANES],
    ['batch.gated.length + batch.judged.length >= BUSY', 'true', LANES],
    ['lane.waiting.length >= WORTHWHILE) lane.wake()', 'false) lane.wake()', LANES],
    ['lane.waiting.unshift(...staying)', 'lane.waiting.push(...staying)', LANES],
    ['lane.inside = [...batch.gated, ...batch.judged]', 'lane.inside = batch.judged', LANES],
    ["    enter(lane, 'gathering')\n", '', LANES],
    ['Math.min(Math.trunc(tookMs), MOST_REST_MS)', 'MOST_REST_MS', LANES],
    ['Math.min(Math.trunc(tookMs), MOST_REST_MS)', 'Math.trunc(tookMs)', LANES],
    ['world.elapsed() + SWEEP_MS', 'world.elapsed()', LANES],
    ['judged.push(...entries)', 'judged.push(first), staying.push(...others)', LANES],
  ],
  'src/wallet/apply/lane-mode.ts': [
    ['MODES[lane.mode].some((next) => next === mode)', 'true', ['test/wallet/lane-mode.test.ts']],
  ],
  'src/wallet/apply/apply-batch.ts': [
    ['if (!isOutage(error)) return [', 'return [', LANES],
    ['for (const entry of [...gated, ...judged])', 'for (const entry of gated)', LANES],
  ],
  'src/wallet/decide/plain.ts': [
    ['!isBlocked(player) && ', '', GATE],
    ['!isUnverified(player) && ', '', GATE],
    [' && !hasLimits(player)', '', GATE],
  ],
  'src/wallet/store/player.ts': [
    ["status || ' ' || coalesce", 'coalesce', GATE],
    ["coalesce(verified::text, '-')", "'-'", GATE],
    [" || ' ' || limits::text", '', GATE],
    ['if (isPlain(player)) await markPlain', 'if (!isPlain(player)) await markPlain', GATE],
  ],
  'src/wallet/decide/settle.ts': [
    ["call.resultType === 'refund' ? placement.funder : 'player'", "'player'", ['test/wallet/life-freebets.test.ts']],
    ['return sameMoney ? [] :', 'return', BATCH],
    ['(earlier.payee === later.payee || later.payout === ZERO)', 'true', ['test/wallet/life-freebets.test.ts']],
    [
      ' && call.resultType === settlement.resultType',
      '',
      ['test/wallet/life-repeats.test.ts', 'test/wallet/life-table.test.ts'],
    ],
  ],
  'src/wallet/decide/decision.ts': [
    ['effect < 0n && after < 0n', 'after < 0n', BOUNDS],
    ['> rules.resettleWindowMs', '>= rules.resettleWindowMs', BOUNDS],
    ['return fitsBalance(after)\n', 'return true\n', BOUNDS],
  ],
  'src/wallet/decide/seen.ts': [
    ["isResult && (decision.kind === 'apply' || (", 'isResult && (true || (', REPEATS],
    ['&& decision.isNew === true', '&& false', REPEATS],
    ['refused.seq < lastResult', 'refused.seq < lastResult + 2', REPEATS],
    ['requestId === placeRequestId || ', '', ['test/wallet/other-operation.test.ts']],
  ],
  'src/wallet/decide/token.ts': [
    ['session.expiresAt > now', 'session.expiresAt >= now', ['test/wallet/token-expiry.test.ts']],
    [' || session.player !== player', '', ['test/wallet/life-identity.test.ts', 'test/wallet/life-refusals.test.ts']],
    ['session.endedAt === null && ', '', ['test/wallet/gate.test.ts', 'test/wallet/session-profile.test.ts']],
  ],
  'src/wallet/decide/place.ts': [
    ['placement.stake === call.stake && ', '', ['test/wallet/life-order-of-checks.test.ts']],
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
    ['birthday > latestBirthday(', 'birthday >= latestBirthday(', LIMITS],
  ],
  'src/wallet/decide/rollback.ts': [
    ['credit: placement.funder', "credit: 'player'", ['test/wallet/life-freebets.test.ts']],
  ],
  'src/wallet/decide/unsettle.ts': [['[...takeBack(bet.settlement), ', '[', RULES]],
  'src/wallet/store/turnover.ts': [
    ["else if (transfer.kind === 'refund') stakes.delete(transfer.betId)\n", '', LIMITS],
  ],
  'src/operator/movement.ts': [
    ['isDeepStrictEqual({ ...correction }, correctionColumns(wanted))', 'true', ADJUSTMENTS],
    ["kind === 'adjustment' ? change : absolute(change)", 'absolute(change)', ADJUSTMENTS],
    ['if (change < 0n && after < 0n)', 'if (change < 0n && after < -1n)', ADJUSTMENTS],
  ],
  'src/people/difference.ts': [['if (SECRET.has(name)) return MASK', '', ['test/people/difference.test.ts']]],
  'src/people/actions.ts': [
    ['author.person === null ?', 'false ?', ['test/people/platform-actions.test.ts']],
    ['if (Object.keys({ ...before, ...after }).length === 0) return', '', ['test/people/wallet-actions.test.ts']],
  ],
  'src/platform/delivery/outbox.ts': [
    ['d.number = r.number + 1 and', 'd.number > r.number and', RESULTS],
    ['number >= FIRST_TO_OVERTAKE', 'number > FIRST_TO_OVERTAKE', NEEDS],
  ],
  'src/platform/delivery/finish.ts': [
    [' and d.attempts = r.attempt', '', RECORD],
    ["and d.attempts = r.attempt and ${status('d')} = 'pending'", 'and d.attempts = r.attempt', RECORD],
    ['r.deliveries > d.number as has_later', 'false as has_later', RESULTS],
    ["<> 'refused' or r.deliveries = d.number", "<> 'refused'", NEEDS],
    [' for update skip locked', ' for update', RESULTS],
  ],
  'src/platform/delivery/retry.ts': [[' and later.number > d.number', '', RESULTS]],
  'src/platform/delivery/claim.ts': [
    ['is_claimed = not c.is_late', 'is_claimed = false', WATCH],
    ['(due_at, delivery_id) > (k.after_due, k.after_id)', "(due_at, delivery_id) > ('-infinity', 0)", QUEUE],
    ['limit k.free ${lock}', '${lock}', ['test/platform/partners.test.ts']],
    ['not is_claimed\n       and due_at <= $1::timestamptz', 'not is_claimed', RECORD],
  ],
  'src/platform/delivery/held.ts': [['return `${delivery_id}/${attempts}`', 'return `${delivery_id}`', WATCH]],
  'src/platform/delivery/breaker.ts': [
    ['inFlight.results + inFlight.users === 0 && ', '', BREAKER],
    ['inFlight.results + inFlight.users === 0', 'inFlight.results === 0', ['test/platform/partner-down.test.ts']],
    ["use === 'rollbacks' || ", '', BREAKER],
    ['end.fault === null ? 0 : failures + 1', 'failures + 1', BREAKER],
    ['now - lastProbeAt >= PROBE_GAP_MS', 'true', BREAKER],
    ['sizeOf(use) - inFlight[use]', 'sizeOf(use)', BREAKER],
  ],
  'src/platform/delivery/window.ts': [
    ['else if (wasFull) size', 'else size', WINDOW],
    ['if (!isQuick) size', 'if (false) size', WINDOW],
  ],
  'src/platform/delivery/schedule.ts': [
    ['at <= RESULT_WINDOW_MS', 'true', RESULTS],
    ['Math.max(planned, now, lastAt + gap / 2)', 'Math.max(planned, lastAt + gap / 2)', SCHEDULE],
    ['now, lastAt + gap / 2', 'now', SCHEDULE],
  ],
  'src/platform/delivery/record.ts': [
    ['said.code === ALREADY_PROCESSED', 'true', ROLLBACKS],
    ['REFUSES_A_RESULT.includes(outcome.code)', 'true', CODES],
    ["result_type === 'cashout' && REFUSES", 'REFUSES', CODES],
    ["reason.endsWith('_body')", 'true', ROLLBACKS],
    ['isOwed: answer.status === BAD_REQUEST ||', 'isOwed: true ||', NEEDS],
    ['|| now.getTime() - first >= UNTOLD_MS', '', NEEDS],
    ["isOwed: claim.result_type !== 'cashout'", 'isOwed: true', NEEDS],
  ],
  'src/platform/delivery/claim-apart.ts': [
    ['tried.claimed === 0 && tried.failed.length > 1', 'tried.failed.length > 1', CLAIM_APART],
    ['aside.add(due.delivery_id)', '', CLAIM_APART],
    ['mayBeEverywhere && !aside.isProven(failed.delivery_id)', 'mayBeEverywhere', CLAIM_APART],
    ['aside.suspect(failed.delivery_id)', 'continue', CLAIM_APART],
  ],
  'src/platform/watch.ts': [['before.get(keyOf(item)) ?? ended', 'before.get(keyOf(item)) ?? ended - leaseMs', WATCH]],
  'src/platform/bets/results.ts': [
    ['(isOneTurn ||', '(true ||', FOLLOW],
    ['!applying.has(keyOf(results))', 'true', ['test/platform/results-watch.test.ts']],
  ],
  'src/platform/bets/follow.ts': [["await take(state, betIds, 'wait')", '', FOLLOW]],
  'src/platform/bets/bet-flow.ts': [['versionsOf(mine) <= bet', 'versionsOf(mine) < bet', FOLLOW]],
  'src/platform/bets/closing.ts': [
    [' && outcome.code !== REPLY_CODES.system_error.code', '', PLACING],
    ["?.status === 'placing'\n", ' !== undefined\n', RECORD],
  ],
  'src/wallet-client/classify.ts': [
    [
      "transactionId !== undefined && 'transactionId' in reply && reply.transactionId !== transactionId",
      'false',
      CLASSIFY,
    ],
    [' || !Number.isInteger(reply.code)', '', CLASSIFY],
    ['status !== 200 && status !== 400', 'status >= 500', CLASSIFY],
    ['isBetOperation(operation) && hasCodeOfRefusal(reply)', 'false', CLASSIFY],
    ['namesPlayer(operation) && !isUtf8(body)', 'false', CALLERS],
  ],
  'src/wallet-client/connection.ts': [
    ['body[0] === 0xef', 'body[0] === 0xfe', CALLERS],
    ['maxResponseSize: MAX_ANSWER_BYTES,', '', CALLERS],
  ],
  'src/protocol/base-url.ts': [
    ["url.username !== '' || ", '', BASE_URLS],
    [".replaceAll(/\\/{2,}/g, '/')", '', BASE_URLS],
  ],
  'src/gateway/rewrite.ts': [
    ['route.operatorToken ?? disguise(token)', 'route.operatorToken ?? token', ROUTING],
    ['throw new WrongPlayer()', 'return body', ROUTING],
  ],
  'src/wallet/wire/decode.ts': [['if (isBetCall(request))', 'if (false)', ['test/wallet/other-operation.test.ts']]],
  'src/gateway/call.ts': [["endpoint !== 'bet' && isBetCall(body)", 'false', ['test/gateway/refusals.test.ts']]],
  'src/operator/cash.ts': [['exclusion !== undefined && !insists', 'false', ['test/operator/cash.test.ts']]],
  'src/db/durability.ts': [
    ["in ('off', 'local') then 'on'", "in ('off', 'local') then 'off'", DURABLE],
    ["in ('off', 'local')", "in ('off')", DURABLE],
    ['if (!warned.has(client)) return undefined', 'return undefined', DURABLE],
    ["routine === 'SyncRepWaitForLSN' || message.includes('synchronous replication')", 'false', DURABLE],
  ],
}

export const FAULTS = [BY_FILE, UNSEEN_FAULTS]
  .flatMap(Object.entries)
  .flatMap(([file, faults]) => faults.map(([search, planted, tests]) => ({ file, search, planted, tests })))
