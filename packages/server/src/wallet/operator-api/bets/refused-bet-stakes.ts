/**
 * Requested stakes of refused bets, for lists. They are read from the calls, because the row of a
 * refused bet has no stake (I-3).
 */

import { CurrencySchema } from '@purser/protocol/bet-request'
import type { Money } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import type { BetRow } from '../../store/bet-store.ts'
import { formatAmount, type OperatorDeps } from '../operator-context.ts'
import { toBetKeyColumns } from './bet-summaries.ts'

export const RequestedStakeSchema = Type.Object(
  { amount: Type.String({ pattern: '^\\d+(\\.\\d+)?$' }), currency: CurrencySchema },
  { description: 'Present in lists on a declined bet: the stake of its Place bet. The wallet took no money.' },
)
export type RequestedStake = Static<typeof RequestedStakeSchema>

/**
 * The Place bet whose refusal the wallet remembers. An earlier Place bet, refused for its token,
 * may have another stake.
 */
const COLUMNS = 'player, bet_id, amount, currency'
const READ = statement(
  'operator_read_asked_stakes',
  `select c.* from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as k (bucket, player, bet_id, refusal)
   cross join lateral (
     select ${COLUMNS} from purser.bet_call
     where bucket = k.bucket and player = k.player and bet_id = k.bet_id and operation = 'place' and refusal = k.refusal order by seq limit 1
   ) c`,
  `select ${COLUMNS} from purser.bet_call
   where bucket = any($1::int[]) and operation = 'place'
     and (player, bet_id, refusal) in (select * from unnest($2::text[], $3::text[], $4::text[])) order by seq`,
)

interface Row extends Record<string, unknown> {
  readonly player: string
  readonly bet_id: string
  readonly amount: Money | null
  readonly currency: Currency | null
}

export async function readRequestedStakes(
  deps: OperatorDeps,
  rows: readonly BetRow[],
): Promise<(row: BetRow) => RequestedStake | undefined> {
  const refused = rows.filter(({ status }) => status === 'refused')
  if (refused.length === 0) return () => undefined
  const refusals = refused.map(({ refusal }) => refusal)
  const found = await deps.db.userQueries.query<Row>(READ, [...toBetKeyColumns(deps, refused), refusals])
  return (bet) => {
    const placeCall = found.find(({ player, bet_id }) => player === bet.player && bet_id === bet.bet_id)
    const { amount = null, currency = null } = placeCall ?? {}
    return amount === null || currency === null ? undefined : { amount: formatAmount(deps, amount, currency), currency }
  }
}
