/**
 * Says which answers a wallet may give to each call about a bet, and what a player may have then. Written from decisions.md (the bet's life,
 * I-2, I-3, I-5, L-1 to L-4) and from nothing else. It hears the wire only: when a call arrives, when it is answered, when the wallet
 * dies. What took effect in which order, and whether what was not answered did, it does not know: it keeps every possibility that no answer
 * has ruled out, and complains when none is left. Of locks, blocked players and ended tokens it is told when they are surely so: then what
 * they forbid is complained about. A refusal because of a lock or a token is always possible.
 */
import { type ReplyCode, replyCode, replyCodes } from '../../protocol/codes.ts'
import { centsOf } from './cents.ts'

export interface Heard {
  readonly kind: 'place' | 'settle' | 'unsettle' | 'rollback'
  readonly requestId: string
  /** As on the wire; '' where it does not count. */
  readonly amount: string
  readonly resultType: string
  readonly token?: string
}

/** 200, or the code of a refusal. */
type Verdict = number

interface Life {
  readonly status: 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'
  readonly stake: string
  readonly payout: string
  readonly resultType: string
  readonly refusal: number
  /** Results answered 200. */
  readonly acknowledged: readonly string[]
  /** Results refused with 20 since when no other one was acknowledged, and those that another one has passed (I-2). */
  readonly refused: readonly string[]
  readonly passed: readonly string[]
}

const BEGINNING: Life = {
  ...{ status: 'nothing', stake: '0', payout: '0', resultType: '', refusal: 0 },
  ...{ acknowledged: [], refused: [], passed: [] },
}

/** One order of what took effect: the life that it led to, and what calls that are under way were told, or will be. */
interface Possible {
  readonly life: Life
  readonly done: Readonly<Record<number, Verdict>>
}

const BLOCKED = replyCode('recalculation_blocked')
const OF_TOKEN = replyCodes('invalid_token', 'expired_token')
const OF_CASHOUT = [...OF_TOKEN, replyCode('invalid_request')]

type Next = readonly [life: Life, verdict: Verdict]

/** A call that may still take effect, and what it must meet. */
interface Waiting extends Heard {
  /** Its token had ended before it came. */
  readonly isTokenOver: boolean
  /** Its bet was locked before it came, and is. */
  isLocked: boolean
  /** Its player is blocked: surely, since before it came; or at some time since. */
  block: 'no' | 'maybe' | 'surely'
  readonly isLimited: boolean
}

function after(life: Life, call: Waiting): Next[] {
  if (call.kind === 'place') return afterPlace(life, call)
  if (call.kind === 'rollback') return afterRollback(life)
  return afterResult(life, call)
}

function afterPlace(life: Life, call: Waiting): Next[] {
  const { amount } = call
  switch (life.status) {
    case 'nothing':
      return afterFirstPlace(life, call)
    case 'refused':
      return [[life, life.refusal]]
    case 'cancelled':
      return [[life, replyCode('already_processed')]]
    default:
      return [[life, life.stake === amount ? 200 : replyCode('already_processed')]]
  }
}

/** In the order of R-6: what is wrong with the token, with the player, with the money. */
function afterFirstPlace(life: Life, { amount, isTokenOver, block, isLimited }: Waiting): Next[] {
  const refusedWith = (name: ReplyCode): Next => [
    { ...life, status: 'refused', refusal: replyCode(name) },
    replyCode(name),
  ]
  const ofToken: Next[] = OF_TOKEN.map((code) => [life, code])
  if (isTokenOver) return ofToken
  if (block === 'surely') return [...ofToken, refusedWith('player_blocked')]
  const open: Next = [{ ...life, status: 'open', stake: amount }, 200]
  const limits = isLimited ? (['stake_limit', 'bet_count_limit'] as const).map(refusedWith) : []
  return [
    open,
    refusedWith('not_enough_money'),
    ...ofToken,
    ...limits,
    ...(block === 'maybe' ? [refusedWith('player_blocked')] : []),
  ]
}

function afterRollback(life: Life): Next[] {
  if (life.status === 'settled') return [[life, replyCode('already_processed')]]
  return [[life.status === 'refused' ? life : { ...life, status: 'cancelled' }, 200]]
}

function afterResult(life: Life, call: Waiting): Next[] {
  const name = `${call.kind} ${call.requestId} ${call.amount} ${call.resultType}`
  if (life.status === 'nothing' || life.status === 'refused') return [[life, replyCode('invalid_request')]]
  if (life.acknowledged.includes(name)) return [[life, 200]]
  if (life.passed.includes(name)) return [[life, BLOCKED]]
  const refused: Next = [{ ...life, refused: adding(life.refused, name) }, BLOCKED]
  if (life.status === 'cancelled') return [refused]
  const { amount: payout, resultType } = call
  const passing = {
    acknowledged: adding(life.acknowledged, name),
    passed: life.refused.filter((one) => one !== name).reduce(adding, life.passed),
    refused: [],
  }
  const isSettle = call.kind === 'settle'
  const accepted: Next = isSettle
    ? [{ ...life, ...passing, status: 'settled', payout, resultType }, 200]
    : [{ ...life, ...passing, status: 'open', payout: '0', resultType: '' }, 200]
  const isSame = isSettle
    ? life.status === 'settled' && life.payout === payout && life.resultType === resultType
    : life.status === 'open'
  if (isSame) return [accepted]
  const ofToken: Next[] = resultType === 'cashout' ? OF_CASHOUT.map((code) => [life, code]) : []
  if (call.isTokenOver && ofToken.length > 0) return ofToken
  if (life.status !== 'settled') return [accepted, ...ofToken]
  return [...(call.isLocked ? [] : [accepted]), ...ofToken, refused]
}

function adding(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name].sort()
}

function moved({ status, stake, payout }: Life): bigint {
  if (status === 'open') return -centsOf(stake)
  return status === 'settled' ? centsOf(payout) - centsOf(stake) : 0n
}

interface Watched {
  readonly player: string
  possible: readonly Possible[]
  /** Calls that may still take effect. */
  readonly underWay: Map<number, Waiting>
}

/** What the wallet's operator has done: `surely` from when it is answered, until it is asked for the contrary. */
export interface Standing {
  tokenEnded(token: string): void
  locked(betId: string, isLocked: boolean): void
  blocked(player: string, block: Waiting['block']): void
  /** From here on it has limits of a day. */
  limited(player: string): void
}

export interface Auditor extends Standing {
  arrived(id: number, at: { readonly player: string; readonly betId: string }, call: Heard): void
  /** Undefined: it failed inside, and may have taken effect (R-4, W-20). A complaint, or undefined. */
  answered(id: number, betId: string, verdict: Verdict | undefined): string | undefined
  /** What has not taken effect never will. */
  died(): void
  /** What the bets of a player may have moved, in minor units; undefined: too much is possible. */
  movedOf(player: string): ReadonlySet<bigint> | undefined
}

/** Possibilities of one bet, and sums of one player, that are kept; beyond them nothing is said. */
const MOST = 2_000

export function createAuditor(): Auditor {
  const bets = new Map<string, Watched>()
  const unclear = new Set<string>()
  const [endedTokens, locks, blocks] = [new Set<string>(), new Set<string>(), new Map<string, Waiting['block']>()]
  const limited = new Set<string>()
  const keep = (betId: string, bet: Watched, possible: readonly Possible[]) => {
    if (possible.length > MOST) unclear.add(betId)
    bet.possible = possible
  }
  const orders = (betId: string, bet: Watched) => {
    const all = everyOrder(bet)
    if (all.length > MOST) unclear.add(betId)
    return all
  }
  return {
    arrived(id, { player, betId }, call) {
      const bet = bets.get(betId) ?? { player, possible: [{ life: BEGINNING, done: {} }], underWay: new Map() }
      bets.set(betId, bet)
      const isTokenOver = call.token !== undefined && endedTokens.has(call.token)
      const [isLocked, isLimited, block] = [locks.has(betId), limited.has(player), blocks.get(player) ?? 'no']
      bet.underWay.set(id, { ...call, isTokenOver, isLocked, isLimited, block })
    },
    limited: (player) => void limited.add(player),
    tokenEnded: (token) => void endedTokens.add(token),
    locked(betId, isLocked) {
      if (isLocked) locks.add(betId)
      else locks.delete(betId)
      if (!isLocked) for (const call of bets.get(betId)?.underWay.values() ?? []) call.isLocked = false
    },
    blocked(player, block) {
      blocks.set(player, block)
      if (block !== 'maybe') return
      for (const bet of bets.values())
        if (bet.player === player) for (const call of bet.underWay.values()) call.block = 'maybe'
    },
    answered(id, betId, verdict) {
      const bet = bets.get(betId)
      if (bet === undefined || verdict === undefined || unclear.has(betId)) return undefined
      const all = orders(betId, bet)
      if (unclear.has(betId)) return undefined
      const suiting = all.filter(({ done }) => done[id] === verdict)
      const left = suiting.map(({ life, done }) => ({ life, done: without(done, id) }))
      const call = bet.underWay.get(id)
      bet.underWay.delete(id)
      keep(betId, bet, distinct(left))
      if (left.length > 0 || unclear.has(betId)) return undefined
      unclear.add(betId)
      const may = [...new Set(all.flatMap(({ done }) => done[id] ?? []))].join(', ')
      const were = [...new Set(all.map(({ life }) => life.status))].join(', ')
      return `the auditor: ${call?.kind} was answered ${verdict}, may be ${may}; the bet was ${were}`
    },
    died() {
      for (const [betId, bet] of bets) {
        if (bet.underWay.size === 0) continue
        keep(betId, bet, distinct(orders(betId, bet).map(({ life }) => ({ life, done: {} }))))
        bet.underWay.clear()
      }
    },
    movedOf(player) {
      let sums: ReadonlySet<bigint> = new Set([0n])
      for (const [betId, bet] of bets) {
        if (bet.player !== player) continue
        const moves = new Set(orders(betId, bet).map(({ life }) => moved(life)))
        sums = new Set([...sums].flatMap((sum) => [...moves].map((move) => sum + move)))
        if (unclear.has(betId) || sums.size > MOST) return undefined
      }
      return sums
    },
  }
}

/** With each call that is under way taken at any time, or not yet. */
function everyOrder({ possible, underWay }: Watched): Possible[] {
  const found = new Map<string, Possible>()
  const todo = [...possible]
  for (let one = todo.pop(); one !== undefined && found.size <= MOST; one = todo.pop()) {
    const name = JSON.stringify(one)
    if (found.has(name)) continue
    found.set(name, one)
    for (const [id, call] of underWay) {
      if (one.done[id] !== undefined) continue
      for (const [life, verdict] of after(one.life, call)) todo.push({ life, done: { ...one.done, [id]: verdict } })
    }
  }
  return [...found.values()]
}

function distinct(possible: readonly Possible[]): Possible[] {
  return [...new Map(possible.map((one) => [JSON.stringify(one), one])).values()]
}

function without(done: Possible['done'], id: number): Possible['done'] {
  const { [id]: _, ...rest } = done
  return rest
}
