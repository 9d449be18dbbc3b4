/**
 * A second platform, which calls the first wallet under a name of its own (W-43). It is a small one that lives as long as the run: it places bets for
 * the same players, often under ids that the first platform uses too, rolls back what it is not sure of, and tells results until they are answered.
 */
import { REPLY_CODES, ROLLBACK_REASON, replyCodes } from '../../protocol/codes.ts'
import { OPERATIONS } from '../../protocol/operation.ts'
import { sign } from '../../protocol/signature.ts'
import { errorWithStack } from '../../runtime/error-text.ts'
import { pause } from '../../runtime/pause.ts'
import type { Random } from '../../runtime/random.ts'
import { world } from '../../runtime/world.ts'
import { type Cast, type Player, RECENT } from './cast.ts'
import { type CurrencyName, centsOf, writtenIn } from './cents.ts'
import { drawFate, PLAIN } from './fates.ts'
import type { Market } from './market.ts'
import { type Answer, counter, type Request } from './network.ts'
import { isSystemError, refusalOf } from './said.ts'
import { spanOf } from './scene.ts'
import { OTHER_PLATFORM, OTHER_SECRET } from './store.ts'

/** What it was told about a bet. */
export interface OtherBet {
  readonly betId: string
  readonly player: Player
  readonly currency: CurrencyName
  /** In hundredths. */
  stake: bigint
  payout: bigint
  status: 'none' | 'open' | 'settled'
}

export interface OtherPlatform {
  readonly bets: readonly OtherBet[]
  /** Places bets until the market is over. */
  play(): Promise<void>
  /** From here on its messages arrive. */
  calm(): void
  /** Bets that are not over, and messages that will still come. */
  underWay(): number
  complaints(): readonly string[]
}

/** Milliseconds that it waits for an answer. */
const PATIENCE_MS = 5_000
/** A Place bet that is refused with one of these stays refused (I-3). */
const FOR_GOOD = replyCodes('not_enough_money', 'player_blocked', 'stake_limit', 'bet_count_limit')
/** A changed result may be refused (L-2). */
const MAY_REFUSE = replyCodes('recalculation_negative')
const ROLLED_BACK = [REPLY_CODES.already_processed.code]

type Kind = 'place' | 'settle' | 'unsettle' | 'rollback'

interface Line extends Pick<OtherPlatform, 'calm' | 'complaints'> {
  readonly random: Random
  /** That will still come. */
  messages(): number
  /** Undefined: it has not heard an answer. */
  call(kind: Kind, bet: OtherBet, said: object): Promise<Answer | undefined>
  /** Until it is answered 200, or refused with one of these codes, which it resolves to. */
  insist(kind: Kind, bet: OtherBet, said: object, codes: readonly number[]): Promise<number>
}

/** Its own way to the wallet, on which the same happens to messages as on the network. */
function openLine(market: Market): Line {
  const [random, counted] = [market.random(OTHER_PLATFORM), counter()]
  const complaints: string[] = []
  let [messages, isCalm] = [0, false]
  const deliver = (request: Request, heard: (answer: Answer) => void) => {
    messages -= 1
    const host = market.wallet('wallet')?.host
    const tell = host && market.wire('wallet').arrives(request)
    host?.(request, (answer) => {
      tell?.(answer)
      heard(answer)
    })
  }
  const call: Line['call'] = async (kind, bet, said) => {
    const request = requestOf(kind, bet, said)
    const name = counted(`${OTHER_PLATFORM}: ${kind} ${market.names.bet(bet.betId)}`)
    const fate = isCalm ? PLAIN : market.choices.fate(name, () => drawFate(random))
    let heard: Answer | undefined
    messages += fate.arrivals.length
    await new Promise<void>((done) => {
      world.after(fate.breaks?.after ?? PATIENCE_MS, done)
      const hear = (answer: Answer) => {
        heard = answer
        done()
      }
      for (const [copy, after] of fate.arrivals.entries())
        world.after(after, () =>
          deliver(request, (answer) => {
            if (copy === 0 && fate.back !== undefined && fate.isCut !== true) world.after(fate.back, () => hear(answer))
          }),
        )
    })
    const answer = heard
    market.trace.note(`${name}: ${answer === undefined ? 'no answer' : shown(answer)}`)
    return answer
  }
  return {
    ...{ random, call, messages: () => messages, complaints: () => complaints },
    calm() {
      isCalm = true
    },
    async insist(kind, bet, said, codes) {
      for (;;) {
        const answer = await call(kind, bet, said)
        if (answer?.status === 200) return 200
        const code = answer === undefined || isSystemError(answer) ? undefined : refusalOf(answer)
        if (code !== undefined && !codes.includes(code))
          complaints.push(`${kind} of the ${OTHER_PLATFORM} was refused with ${code} (W-43)`)
        if (code !== undefined) return code
        await pause(random.between(500, 5_000))
      }
    },
  }
}

function shown(answer: Answer): string {
  return `${answer.status} ${refusalOf(answer) ?? ''}`
}

export function openOtherPlatform(market: Market, cast: Cast): OtherPlatform {
  const line = openLine(market)
  const { random, call, insist, calm } = line
  const [bets, failed]: [OtherBet[], string[]] = [[], []]
  let open = 0
  const place = async (bet: OtherBet, token: string, amount: string): Promise<boolean> => {
    const answer = await call('place', bet, { requestId: world.uuid(), token, amount })
    if (answer?.status === 200) return true
    if (answer === undefined || !FOR_GOOD.includes(refusalOf(answer) ?? 0))
      await insist(
        'rollback',
        bet,
        { requestId: world.uuid(), amount, errorCode: ROLLBACK_REASON.partnerFailed },
        ROLLED_BACK,
      )
    return false
  }
  const settle = async (bet: OtherBet, payout: bigint): Promise<void> => {
    const result = (paid: bigint) => ({
      ...{ requestId: world.uuid(), amount: amountOf(bet, paid), resultType: paid === 0n ? 'lost' : 'won' },
    })
    const code = await insist('settle', bet, result(payout), bet.status === 'settled' ? MAY_REFUSE : [])
    if (code === 200) Object.assign(bet, { status: 'settled', payout })
    else if (MAY_REFUSE.includes(code)) await insist('settle', bet, result(bet.payout), []) // so that no late copy changes it (I-2)
  }
  const live = async (bet: OtherBet, token: string, amount: string) => {
    open += 1
    if (await place(bet, token, amount)) {
      Object.assign(bet, { status: 'open', stake: centsOf(amount) })
      market.trace.mark('a bet of another platform is accepted')
      for (let left = random.below(3); left > 0; left--) {
        await pause(random.between(1_000, 20_000))
        await settle(bet, centsOf(writtenIn(bet.currency, `${random.below(4) * random.between(1, 12)}.00`)))
      }
    }
    open -= 1
  }
  return {
    ...{ bets, calm, complaints: () => [...line.complaints(), ...failed], underWay: () => open + line.messages() },
    async play() {
      const gap = () => random.between(3_000, 15_000) * spanOf(market.scene)
      while (!cast.isOver) {
        const deed = await market.choices.deed(OTHER_PLATFORM, gap, () => drawBet(cast, random))
        const player = cast.players.find(({ name }) => name === deed?.player)
        if (deed === undefined || player?.token === undefined || cast.isOver) continue
        const { token } = player
        const held = market.wire('wallet').standing.tokens.holderOf(token)
        const currency = (held?.currency ?? 'EUR') as CurrencyName
        const same = deed.isShared ? freeIdOf(cast, player, bets, deed.number) : undefined
        if (same !== undefined) market.trace.mark('two platforms use one id')
        const betId = same ?? world.uuid()
        cast.shared?.add(betId)
        const bet: OtherBet = { betId, player, currency, stake: 0n, payout: 0n, status: 'none' }
        bets.push(bet)
        void live(bet, token, writtenIn(currency, deed.amount)).catch((error: Error) =>
          failed.push(errorWithStack(error)),
        )
      }
    },
  }
}

/** `isShared`: of an id that the first platform has, if there is one. */
function drawBet({ players }: Cast, random: Random) {
  const [player, amount] = [random.pick(players).name, `${random.between(1, 20)}.50`]
  return { player, amount, isShared: random.chance(0.5), number: random.below(RECENT) }
}

/** So that the books can be compared. */
export function toldOfOther(bets: readonly OtherBet[]) {
  return bets.map(({ betId, player, currency, stake, payout, status }) => {
    const unit = currency === 'JPY' ? 100n : 1n
    const now = status === 'none' ? null : status
    const paid = status === 'settled' ? payout / unit : null
    const result = status === 'settled' ? (payout === 0n ? 'lost' : 'won') : null
    return {
      ...{ bet_id: betId, player: player.userId, currency, is_freebet: false, stake: stake / unit },
      ...{ status: now, payout: paid, result_type: result, decided: now, decided_payout: paid },
    }
  })
}

/** One of this player's that it does not use itself yet. */
function freeIdOf(cast: Cast, player: Player, bets: readonly OtherBet[], number: number): string | undefined {
  const used = new Set(bets.map(({ betId }) => betId))
  const mine = cast.bets.slice(-RECENT).filter((bet) => bet.player === player && !used.has(bet.betId))
  return mine[number % Math.max(1, mine.length)]?.betId
}

function amountOf({ currency }: OtherBet, cents: bigint): string {
  return writtenIn(currency, `${cents / 100n}.${`${cents % 100n}`.padStart(2, '0')}`)
}

function requestOf(kind: Kind, { betId, player, currency }: OtherBet, said: object): Request {
  const { method, path, type } = OPERATIONS[kind]
  const all = { type, transactionId: betId, userId: player.userId, currency, ...said }
  const body = Buffer.from(JSON.stringify(all).replace(/"amount":"([\d.]+)"/, '"amount":$1'))
  const headers = { host: 'wallet.example', 'x-sign-jws': sign(body, OTHER_SECRET), 'content-length': `${body.length}` }
  return { method, path, headers, body }
}
