/**
 * Answers that could not be recorded together, because the database refuses what is written of one of them: halved until it is alone.
 * That one's delivery is stuck then, a person's to look at (C-9); the others are recorded, so that nobody waits for it (C-6).
 */
import type { Db, Tx } from '../../db/db.ts'
import { statement } from '../../db/db.ts'
import { isOfData } from '../../db/errors.ts'
import { errorText } from '../../runtime/error-text.ts'
import type { Logger } from '../../runtime/logger.ts'
import { lockBets } from '../bets/bet-store.ts'
import { type EndedDelivery, noteDeliveries } from '../change.ts'
import type { PlatformMetrics } from '../metrics.ts'
import type { Claim } from './claim.ts'
import { insertAttempts, status } from './outbox.ts'
import { owedIf } from './owed.ts'
import { type Finished, type Over, type RecordDeps, type Recorded, record, toAttempt } from './record.ts'

export interface ApartDeps extends RecordDeps {
  readonly db: Db
  readonly log: Logger
  readonly metrics: Pick<PlatformMetrics, 'unrecorded' | 'delivered'>
}

/** Resolves to those that are to be tried again. */
export async function recordInParts(deps: ApartDeps, finished: readonly Finished[]): Promise<readonly Finished[]> {
  try {
    const { over, busy } = await recordApart(deps, finished)
    for (const { claim, status } of over) deps.metrics.delivered(claim.operation, status)
    return busy
  } catch (error) {
    deps.log.error({ err: error }, 'answers could not be recorded')
    return finished
  }
}

/** Throws when the database cannot be worked with: then it may not be an answer's fault. */
async function recordApart(deps: ApartDeps, finished: readonly Finished[]): Promise<Recorded> {
  try {
    return await deps.db.transaction((tx) => recordWhole(deps, tx, finished))
  } catch (error) {
    if (!isOfData(error)) throw error
    const [first] = finished
    if (first !== undefined && finished.length === 1) return { over: await setAside(deps, first, error), busy: [] }
  }
  const middle = Math.ceil(finished.length / 2)
  const halves = [await recordApart(deps, finished.slice(0, middle)), await recordApart(deps, finished.slice(middle))]
  return { over: halves.flatMap(({ over }) => over), busy: halves.flatMap(({ busy }) => busy) }
}

async function recordWhole(deps: ApartDeps, tx: Tx, finished: readonly Finished[]): Promise<Recorded> {
  const { rest, ...recorded } = await record(deps, tx, finished)
  await rest()
  return recorded
}

/** What was answered is kept if it can be. A delivery that cannot be changed at all stays claimed, and is tried again when its lease is over. */
async function setAside(deps: ApartDeps, finished: Finished, cause: unknown): Promise<Over[]> {
  const { claim } = finished
  const ids = { deliveryId: String(claim.delivery_id), betId: claim.bet_id }
  deps.log.error({ err: cause, ...ids }, 'an answer could not be recorded: its delivery needs a person')
  const tryTo = async (what: string, write: (tx: Tx) => Promise<unknown>) => {
    try {
      await deps.db.transaction(write)
      return true
    } catch (error) {
      if (!isOfData(error)) throw error
      deps.log.error({ err: error, ...ids }, `${what} could not be written either`)
      return false
    }
  }
  await tryTo('the attempt', (tx) => insertAttempts(tx, [toAttempt(finished)]))
  const isSet = await tryTo('that it is stuck', (tx) => setStuck(deps, tx, claim, true, saidOf(finished, cause)))
  if (isSet) return [{ claim, status: 'stuck', hasLater: false }]
  deps.metrics.unrecorded()
  return []
}

const SET_STUCK = statement(
  'platform_set_stuck',
  `update platform.delivery d set status = 'stuck', is_claimed = false, error = $3, finished_at = $4::timestamptz,
     ${owedIf('true', '$4::timestamptz')}
   where d.delivery_id = $1::bigint and d.attempts = $2::int and d.is_claimed = $5::boolean and ${status('d')} = 'pending'`,
)

/** Unless it is recorded already, or another process has taken the claim over, or claimed it. */
export async function setStuck(
  { clock }: Pick<ApartDeps, 'clock'>,
  tx: Tx,
  delivery: EndedDelivery['delivery'] & Pick<Claim, 'attempts'>,
  isClaimed: boolean,
  error: string,
): Promise<void> {
  const now = clock.now()
  await lockBets(tx, [delivery.bet_id]) // whoever decides more of the bet meanwhile is seen in what is owed, or sees the mark
  if ((await tx.execute(SET_STUCK, [delivery.delivery_id, delivery.attempts, error, now, isClaimed])) === 0) return
  await noteDeliveries(tx, [{ delivery, status: 'stuck', code: null, error }], now)
}

function saidOf({ answer }: Finished, cause: unknown): string {
  const said = [answer.outcome.kind, ...(answer.status === null ? [] : [`HTTP status ${answer.status}`])].join(', ')
  return `it was answered (${said}), which could not be recorded: ${whyOf(cause)}`
}

export function whyOf(cause: unknown): string {
  return errorText(cause).slice(0, MAX_CAUSE)
}

/** Characters. */
const MAX_CAUSE = 200
