/** Handlers for deposits, withdrawals and balances in the operator API. */

import { CurrencySchema } from '@purser/protocol/bet-request'
import { money, SIGNED_DECIMAL_PATTERN, ZERO } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import type { Tx } from '../../../core/database/db.ts'
import { noUnknownMembers, toTime } from '../../../core/http/api/pagination.ts'
import { conflict, invalid, type Problem } from '../../../core/http/api/problem-details.ts'
import { type Account, openAccounts, readAccounts } from '../../ledger/account.ts'
import { type CarriedBalance, readCarriedBalances } from '../../ledger/carried-balance.ts'
import { readBalancesAt } from '../../ledger/transfer.ts'
import type { Player } from '../../store/player.ts'
import {
  findPlayer,
  formatAmount,
  type LocatedPlayer,
  type OperatorDeps,
  toAmount,
  toCurrency,
} from '../operator-context.ts'
import { DecimalSchema } from '../players/player-profile.ts'
import { moveMoneyOnce, ReferenceSchema } from './cash-movement.ts'

const movementMembers = { currency: CurrencySchema, amount: DecimalSchema, reference: ReferenceSchema }
const strict = {
  additionalProperties: false,
  examples: [{ currency: 'EUR', amount: '100.00', reference: 'psp-4711' }],
} as const
export const WithdrawalSchema = Type.Object(movementMembers, strict)
const DESPITE_EXCLUSION =
  'If true, the deposit is made although the player is blocked or self-excluded. The statement shows this flag (O-3).'
export const DepositSchema = Type.Object(
  { ...movementMembers, despiteExclusion: Type.Optional(Type.Boolean({ description: DESPITE_EXCLUSION })) },
  strict,
)
export const BalancesSchema = Type.Object({
  balances: Type.Array(
    Type.Object({ currency: CurrencySchema, amount: Type.String({ pattern: SIGNED_DECIMAL_PATTERN }) }),
  ),
})

export function moveCash(
  deps: OperatorDeps,
  author: Actor,
  userId: string,
  kind: 'deposit' | 'withdrawal',
  body: Static<typeof DepositSchema>,
) {
  const currency = toCurrency(deps, body.currency, '/currency')
  const amount = toAmount(deps, body.amount, currency, '/amount')
  if (amount === 0n) throw invalid('/amount', 'must be more than 0')
  const { reference, despiteExclusion = false } = body
  return kind === 'deposit'
    ? moveMoneyOnce(deps, author, userId, { kind, currency, change: amount, reference }, (tx, located) =>
        prepareDeposit(deps, tx, located, currency, despiteExclusion),
      )
    : moveMoneyOnce(deps, author, userId, { kind, currency, change: money(-amount), reference }, async () => ({
        despiteExclusion: false,
      }))
}

async function prepareDeposit(
  { scales, clock }: OperatorDeps,
  tx: Tx,
  { player, bucket }: LocatedPlayer,
  currency: Currency,
  despiteExclusion: boolean,
): Promise<{ despiteExclusion: boolean }> {
  const now = clock.now()
  const exclusion = findExclusion(player, now)
  if (exclusion !== undefined && !despiteExclusion) throw exclusion
  if (!player.currencies.includes(currency))
    throw conflict('currency_not_available', `${currency} is not one of the player's currencies`)
  await openAccounts(tx, bucket, player.id, [currency], scales, now)
  return { despiteExclusion: exclusion !== undefined }
}

/**
 * Reason against a deposit (O-3). Withdrawals are always possible, because the money is the
 * player's.
 */
function findExclusion({ status, selfExcludedUntil }: Player, now: Date): Problem | undefined {
  if (status === 'blocked') return conflict('player_blocked', `the player is blocked; ${HOW_TO_INSIST}`)
  if (selfExcludedUntil !== null && selfExcludedUntil > now)
    return conflict(
      'self_excluded',
      `the player is self-excluded until ${selfExcludedUntil.toISOString()}; ${HOW_TO_INSIST}`,
    )
  return undefined
}

const HOW_TO_INSIST = 'a deposit is made only with despiteExclusion: true'

export const BalancesQuerySchema = Type.Object(
  {
    at: Type.Optional(
      Type.String({ format: 'date-time', description: 'The time of the balances. The default is now.' }),
    ),
  },
  noUnknownMembers,
)

export async function getBalances(deps: OperatorDeps, userId: string, { at }: Static<typeof BalancesQuerySchema> = {}) {
  const { player, bucket } = await findPlayer(deps, userId)
  const time = at === undefined ? undefined : toTime(at, '/query/at')
  if (time !== undefined && time > deps.clock.now()) throw invalid('/query/at', 'is in the future')
  const accounts = await readAccounts(deps.db.userQueries, bucket, [player.id])
  accounts.sort((a, b) => (a.currency < b.currency ? -1 : 1))
  const then = time && new Map(await readBalancesAtTime(deps, bucket, accounts, time))
  const balanceOf = ({ currency, balance }: Account) => (then === undefined ? balance : (then.get(currency) ?? ZERO))
  return {
    balances: accounts.map((account) => ({
      currency: account.currency,
      amount: formatAmount(deps, balanceOf(account), account.currency),
    })),
  }
}

async function readBalancesAtTime({ db }: OperatorDeps, bucket: number, accounts: readonly Account[], at: Date) {
  const places = accounts.map(({ currency, version }) => ({ currency, below: version + 1n }))
  const [{ player } = { player: '' as PlayerId }] = accounts
  const rows = await readBalancesAt(db.userQueries, bucket, player, places, at)
  // This read comes last: a transfer that is archived in between is in both results.
  const carried = new Map(
    (await readCarriedBalances(db.userQueries, bucket, player)).map((one) => [one.currency, one] as const),
  )
  for (const one of carried.values()) if (at < one.at) throw archivedProblem(one)
  return [...carried.values(), ...rows].map(({ currency, balance }) => [currency, balance] as const)
}

/** The transfers of this time are in files (O-13). */
function archivedProblem({ currency, at }: CarriedBalance): Problem {
  return invalid(
    '/query/at',
    `is before ${at.toISOString()}, and earlier transfers of ${currency} are archived in files (O-13): read them with purser archive`,
  )
}
