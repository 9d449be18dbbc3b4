/**
 * The load on the two wallets in addition to the platform's calls.
 *
 * Simulated callers send calls about the same few bets to both wallets, move money by hand, and
 * lock players. Each action is a choice with all its random values.
 */
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import { signBody } from '@purser/protocol/signature'
import { sleep } from '@purser/runtime/async/sleep'
import { withTimeout } from '@purser/runtime/async/timeouts'
import { environment } from '@purser/runtime/environment'
import type { Random } from '@purser/runtime/seeded-random'
import type { MarketPlayer } from '../market/actors/market-participants.ts'
import { isSystemErrorReply, parseCode } from '../market/actors/reply-parsing.ts'
import { MARKET_SECRET } from '../market/databases/market-store.ts'
import type { NetworkAnswer, NetworkRequest } from '../market/network/simulated-network.ts'
import type { MovementOutcome } from './ipc-messages.ts'
import type { LocksHarness } from './locks-harness.ts'
import { lockManually, type ManualLocks } from './manual-locks.ts'

interface WorkloadBet {
  readonly betId: string
  readonly player: MarketPlayer
  readonly stake: number
  readonly sent: SentCall[]
}

export interface SentCall {
  readonly request: NetworkRequest
  answer?: NetworkAnswer | undefined
}

export interface Workload {
  readonly bets: readonly WorkloadBet[]
  /** Calls and movements. */
  underWay: number
  /** Movements that are repeated until they have an answer. */
  readonly owed: (() => Promise<void>)[]
  movements: number
}

const BETS_EACH = 2

export function createWorkload({ participants, random }: LocksHarness): Workload {
  const draws = random('the bets')
  const bets = participants.players.flatMap((player) =>
    Array.from({ length: BETS_EACH }, () => ({
      ...{ betId: environment.uuid(), player, stake: draws.between(5, 35) },
      sent: [],
    })),
  )
  return { bets, underWay: 0, owed: [], movements: 0 }
}

type CallKind = 'place' | 'settle' | 'unsettle' | 'rollback' | 'again'

/**
 * `at`: wallet 0 or 1. `more`: added to the stake. `payout`: of a settle. `sent`: the call to
 * repeat.
 */
interface PlannedCall {
  readonly at: number
  readonly bet: number
  readonly what: CallKind
  readonly more?: number
  readonly payout?: number
  readonly sent?: number
}

type WorkloadOperation =
  | { readonly kind: 'call'; readonly calls: readonly PlannedCall[] }
  | {
      readonly kind: 'move'
      readonly direction: 'deposit' | 'withdrawal'
      readonly player: number
      readonly euros: number
      readonly at: readonly number[]
    }
  | ({ readonly kind: 'lock'; readonly calls: readonly PlannedCall[] } & ManualLocks)
  /**
   * No action until all calls have ended. Then a call without an answer never takes effect later.
   */
  | { readonly kind: 'rest' }

type WorkloadAction = WorkloadOperation & Readonly<Record<string, unknown>>

const MAX_ACTIONS = 35
const REST_EVERY = 7
/** The limit of calls in progress. */
const MAX_CONCURRENT = 7
/** The longest pause of the callers. */
const REST_MS = 4_000
const POLL_MS = 20

/** `isQuiet`: the wallets have no work in progress. */
export async function runCallers(harness: LocksHarness, workload: Workload, isQuiet: () => boolean): Promise<void> {
  const random = harness.random('callers')
  const gap = () => (random.chance(0.4) ? 0 : random.between(1, 60))
  let drawn = 0
  const draw = (): WorkloadAction => {
    drawn += 1
    return drawn % REST_EVERY === 0 ? { kind: 'rest' } : drawAction(random, workload)
  }
  for (let actions = 0; actions < MAX_ACTIONS && !harness.participants.isOver; actions++) {
    while (workload.underWay >= MAX_CONCURRENT) await sleep(POLL_MS)
    const action = await harness.choices.nextAction<WorkloadAction>('callers', gap, draw)
    if (action === undefined) return
    if (action.kind === 'rest') await waitUntilQuiet(harness, isQuiet)
    else if (!harness.participants.isOver) performAction(harness, workload, action)
  }
}

async function waitUntilQuiet({ wire }: LocksHarness, isQuiet: () => boolean): Promise<void> {
  const until = environment.monotonicNow() + REST_MS
  while (!isQuiet() && environment.monotonicNow() < until) await sleep(POLL_MS)
  if (isQuiet()) wire.died()
}

function drawAction(random: Random, workload: Workload): WorkloadAction {
  const drawn = random.below(100)
  const players = workload.bets.length / BETS_EACH
  const at = random.below(2)
  if (drawn < 10) {
    const [direction, player, euros] = [
      random.pick(['deposit', 'withdrawal'] as const),
      random.below(players),
      random.between(1, 20),
    ]
    return { kind: 'move', direction, player, euros, at: random.chance(0.4) ? [0, 1] : [at] }
  }
  if (drawn < 20) {
    const first = random.below(players)
    const second = (first + random.between(1, players - 1)) % players
    const pausesMs = [random.below(400), random.below(400)]
    return {
      kind: 'lock',
      players: [first, second],
      pausesMs,
      calls: random.chance(0.5) ? drawCallsOfAllPlayers(random, workload) : [],
    }
  }
  if (drawn < 32) return { kind: 'call', calls: drawCallsOfAllPlayers(random, workload) }
  return { kind: 'call', calls: drawCalls(random, workload, at, random.below(workload.bets.length)) }
}

/** A call of each player at both wallets, so that batches of several players meet. */
function drawCallsOfAllPlayers(random: Random, workload: Workload): PlannedCall[] {
  const players = workload.bets.length / BETS_EACH
  return [0, 1].flatMap((at) =>
    Array.from({ length: players }, (_, player) =>
      drawCalls(random, workload, at, player * BETS_EACH + random.below(BETS_EACH)),
    ).flat(),
  )
}

/** One call, sometimes followed by the same bytes at either wallet. */
function drawCalls(random: Random, workload: Workload, at: number, bet: number): PlannedCall[] {
  const sent = workload.bets[bet]?.sent.length ?? 0
  const isAgain = sent > 0 && random.chance(0.3)
  const first: PlannedCall = isAgain
    ? { at, bet, what: 'again', sent: random.below(sent) }
    : { at, bet, ...drawCallKind(random, sent === 0) }
  const again: PlannedCall = { at: random.below(2), bet, what: 'again', sent: first.sent ?? sent }
  return random.chance(0.25) ? [first, again] : [first]
}

function drawCallKind(random: Random, isFirst: boolean): Pick<PlannedCall, 'what' | 'more' | 'payout'> {
  const drawn = random.below(100)
  if (isFirst && drawn < 85) return { what: 'place', more: 0 }
  if (drawn < 15) return { what: 'place', more: random.below(2) }
  if (drawn < 65) return { what: 'settle', payout: random.pick([0, 0, 12, 40]) }
  return { what: drawn < 78 ? 'unsettle' : 'rollback' }
}

function performAction(
  harness: LocksHarness,
  workload: Workload,
  action: Exclude<WorkloadOperation, { kind: 'rest' }>,
): void {
  if (action.kind === 'call') callAll(harness, workload, action.calls)
  else if (action.kind === 'move') sendMovement(harness, workload, action)
  else void lockManually(harness, action, () => callAll(harness, workload, action.calls))
}

function callAll(harness: LocksHarness, workload: Workload, calls: readonly PlannedCall[]): void {
  for (const one of calls) {
    const bet = workload.bets[one.bet]
    const sent = bet && toSentCall(bet, one)
    if (sent !== undefined) sendCall(harness, workload, one.at, sent)
  }
}

/** Undefined if the call to repeat was removed from the choices. */
function toSentCall(
  bet: WorkloadBet,
  { what: callKind, more = 0, payout = 0, sent }: PlannedCall,
): SentCall | undefined {
  if (callKind === 'again') return bet.sent[sent ?? 0]
  const made = { request: buildRequest(bet, callKind, more, payout) }
  bet.sent.push(made)
  return made
}

function buildRequest(
  { betId, player, stake }: WorkloadBet,
  callKind: Exclude<CallKind, 'again'>,
  more: number,
  payout: number,
): NetworkRequest {
  const { userId, token } = player
  const common = { requestId: environment.uuid(), transactionId: betId, userId, currency: 'EUR', coefficient: 2 }
  switch (callKind) {
    case 'place':
      return signRequest('POST', { ...common, type: 1, token, amount: stake + more })
    case 'settle':
      return signRequest('PUT', { ...common, type: 2, amount: payout, resultType: payout === 0 ? 'lost' : 'won' })
    case 'unsettle':
      return signRequest('PUT', { ...common, type: 1, amount: stake })
    default:
      return signRequest('PUT', { ...common, type: 3, token, amount: stake, errorCode: ROLLBACK_REASON.closingFailed })
  }
}

function signRequest(method: string, members: object): NetworkRequest {
  const body = Buffer.from(JSON.stringify(members))
  const headers = {
    host: 'wallet.example',
    'x-sign-jws': signBody(body, MARKET_SECRET),
    'content-length': `${body.length}`,
  }
  return { method, path: '/payment/bet', headers, body }
}

/** After this the call counts as ended: its process may be dead. */
const ANSWER_TIMEOUT_MS = 8_000

export function sendCall(harness: LocksHarness, workload: Workload, at: number, sent: SentCall): void {
  const { wire, names, trace } = harness
  const name = `${names.describe(sent.request)} at wallet ${at + 1}`
  let isOver = false
  const over = () => {
    if (!isOver) workload.underWay -= 1
    isOver = true
  }
  trace.note(name)
  const onAnswer = wire.arrives(sent.request)
  const isThere = harness.callWallet(at, sent.request, (answer) => {
    cancel()
    over()
    sent.answer = answer
    trace.note(`${name} is answered ${[answer.status, parseCode(answer)].filter(Boolean).join('/')}`)
    onAnswer(answer)
  })
  if (!isThere) return
  workload.underWay += 1
  const cancel = environment.setTimer(ANSWER_TIMEOUT_MS, over)
}

/** True for a success and a refusal, false for a failure of the wallet itself. */
export function isAnswered({ answer }: SentCall): boolean {
  return answer !== undefined && (answer.status === 200 || (answer.status === 400 && !isSystemErrorReply(answer)))
}

/** Both wallets get the same movement, which happens once: its reference is unique (O-2). */
function sendMovement(
  harness: LocksHarness,
  workload: Workload,
  { direction, player: number, euros, at }: WorkloadOperation & { kind: 'move' },
): void {
  const player = harness.participants.players[number]
  if (player === undefined) return
  const reference = `movement ${++workload.movements}`
  const movement = { userId: player.userId, direction, euros, reference }
  let isOver = false
  const send = async (wallet: number) => {
    if (isOver) return
    const moved = harness.wallet(wallet)?.move(movement) ?? Promise.resolve<MovementOutcome>('unclear')
    const outcome = await withTimeout<MovementOutcome>(moved, ANSWER_TIMEOUT_MS, () => 'unclear').catch(
      (): MovementOutcome => 'unclear',
    )
    harness.trace.note(`${reference}, a ${direction} of ${euros} of ${player.userId}, is ${outcome}`)
    if (outcome === 'made' && !isOver) {
      player.cash.EUR += BigInt(euros) * (direction === 'deposit' ? 100n : -100n)
      isOver = true
    }
    if (outcome === 'unclear') workload.owed.push(() => send(0))
  }
  for (const wallet of at) {
    workload.underWay += 1
    void send(wallet).finally(() => {
      workload.underWay -= 1
    })
  }
}
