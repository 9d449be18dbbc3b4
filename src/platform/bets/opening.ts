/** The first half of a placement: bets and the intents to call their partners are committed before anybody is called (C-1). */
import type { Tx } from '../../db/db.ts'
import type { Author } from '../../people/actions.ts'
import { formatMoney, scaleOf } from '../../protocol/money.ts'
import { world } from '../../runtime/world.ts'
import { noteBets } from '../change.ts'
import { START_WITHIN_MS } from '../delivery/claim.ts'
import { insertDeliveries, type NewDelivery } from '../delivery/outbox.ts'
import type { PlatformBet, Selection } from './bet.ts'
import type { FlowDeps } from './bet-flow.ts'
import { type PlaceExtras, placeMessage, withoutToken } from './message.ts'
import { insertBets, insertSelections, type Placed, type Submission } from './placing-store.ts'

/** What is to be placed. */
export interface Intent {
  readonly bet: PlatformBet
  readonly selections: readonly Selection[]
  readonly extras: PlaceExtras
  readonly submission: Submission
  readonly author: Author
}

/** A bet that waits for the partner's answer; only the process that holds it may record one. */
export interface Placing {
  readonly bet: PlatformBet
  readonly selections: readonly Selection[]
  readonly body: string
  /** As world.elapsed() gives it. A call that begins later could arrive after the rollback of a bet that was given up (C-1). */
  readonly startBefore: number
}

export type Opened =
  | { readonly kind: 'placing'; readonly placing: Placing }
  /** Nobody is called. */
  | { readonly kind: 'declined'; readonly placed: Placed }
  | { readonly kind: 'key_taken' }

/** Each is opened, or, as the intent says it, written down as declined. */
export async function openBets(deps: FlowDeps, tx: Tx, intents: readonly Intent[]): Promise<Opened[]> {
  const [begunAt, now] = [world.elapsed(), deps.clock.now()]
  const written = await insertBets(tx, intents, now)
  const fresh = intents.filter(({ bet }) => written.has(bet.betId))
  const calls = new Map(fresh.filter(isToBeCalled).map((intent) => [intent.bet.betId, callOf(deps, intent)]))
  await tx.finish(() =>
    Promise.all([
      insertSelections(tx, fresh),
      insertDeliveries(tx, [...calls.values()].map(toBeKept), now),
      noteBets(
        tx,
        fresh.filter((intent) => !isToBeCalled(intent)).map(({ bet }) => bet),
        now,
      ),
      ...fresh.map((intent) => recordIntent(deps, tx, intent, now)),
    ]),
  )
  return intents.map(({ bet, selections }) => {
    if (!written.has(bet.betId)) return { kind: 'key_taken' }
    const body = calls.get(bet.betId)?.body
    if (body === undefined) return { kind: 'declined', placed: { status: bet.status, reason: bet.reason } }
    return { kind: 'placing', placing: { bet, selections, body, startBefore: begunAt + START_WITHIN_MS } }
  })
}

function isToBeCalled({ bet }: Intent): boolean {
  return bet.status === 'placing'
}

/** Its process calls it now: it is due to nobody else. */
function callOf({ scales }: FlowDeps, { bet, selections, extras }: Intent): NewDelivery {
  const { betId, partnerId } = bet
  const requestId = world.uuid()
  const body = placeMessage(bet, selections, extras, { scales, requestId })
  const state = { status: 'pending', attempts: 1, dueAt: 'infinity', result: null } as const
  return { betId, partnerId, number: 1, operation: 'place', requestId, body, ...state }
}

/** This process sends it, from memory; nobody sends it again (C-1), so that its token need not be kept (O-6). */
function toBeKept(call: NewDelivery): NewDelivery {
  return { ...call, body: withoutToken(call.body) }
}

function recordIntent({ scales }: FlowDeps, tx: Tx, { bet, author }: Intent, at: Date): Promise<void> {
  const { betId, userId, currency, stake } = bet
  const after = { userId, currency, amount: formatMoney(stake, scaleOf(scales, currency)) }
  return author.record(tx, { on: { betId }, before: {}, after, at })
}
