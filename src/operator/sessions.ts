/** Sessions of players, and the switch of the active currency, which makes every earlier token out of date (P-1). */
import { type Static, Type } from 'typebox'
import type { Tx } from '../db/db.ts'
import { conflict } from '../http/problem.ts'
import { CurrencySchema, IpSchema, TokenSchema, UserIdSchema } from '../protocol/bet-request.ts'
import type { Currency } from '../protocol/ids.ts'
import { CountrySchema } from '../protocol/user-profile.ts'
import { updatePlayer } from '../wallet/player.ts'
import { endSessions, hashToken, insertSession, newToken } from '../wallet/session.ts'
import { type Located, type OperatorDeps, toCurrency, withPlayer } from './operator.ts'

const DEFAULT_TTL_S = 86_400
const MAX_TTL_S = 365 * 86_400

const ttlSeconds = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_TTL_S, description: `Seconds; ${DEFAULT_TTL_S} when absent.` }),
)
const origin = {
  ip: Type.Optional(IpSchema),
  country: Type.Optional(CountrySchema),
}

export const NewSessionSchema = Type.Object(
  { currency: Type.Optional(CurrencySchema), ttlSeconds, ...origin },
  { additionalProperties: false, examples: [{ ttlSeconds: 3600 }] },
)
export const SwitchSchema = Type.Object(
  { currency: CurrencySchema, ttlSeconds, ...origin },
  { additionalProperties: false, examples: [{ currency: 'USD' }] },
)
export const SessionSchema = Type.Object({
  token: TokenSchema,
  userId: UserIdSchema,
  currency: CurrencySchema,
  expiresAt: Type.String({ format: 'date-time' }),
})

/** The body may be left out. */
export function createSession(deps: OperatorDeps, userId: string, body: Static<typeof NewSessionSchema> | undefined) {
  return withPlayer(deps, userId, (tx, located) => {
    const currency = body?.currency === undefined ? located.player.currency : allowed(deps, located, body.currency)
    return issue(deps, tx, located, currency, body ?? {})
  })
}

export function endAllSessions(deps: OperatorDeps, userId: string): Promise<void> {
  return withPlayer(deps, userId, (tx, { player, bucket }) => endSessions(tx, bucket, player.id, deps.clock.now()))
}

/** Ends every session of the player, makes the currency the active one and issues a token bound to it. */
export function switchCurrency(deps: OperatorDeps, userId: string, body: Static<typeof SwitchSchema>) {
  return withPlayer(deps, userId, async (tx, located) => {
    const { player, bucket } = located
    const currency = allowed(deps, located, body.currency)
    await endSessions(tx, bucket, player.id, deps.clock.now())
    await updatePlayer(tx, bucket, { ...player, currency })
    return issue(deps, tx, located, currency, body)
  })
}

function allowed(deps: OperatorDeps, { player }: Located, code: string): Currency {
  const currency = toCurrency(deps, code, '/currency')
  if (!player.currencies.includes(currency))
    throw conflict('currency_not_available', `${code} is not one of the player's currencies`)
  return currency
}

async function issue(
  deps: OperatorDeps,
  tx: Tx,
  { player, bucket }: Located,
  currency: Currency,
  wish: Static<typeof NewSessionSchema>,
) {
  const now = deps.clock.now()
  const token = newToken(bucket, deps.buckets)
  const expiresAt = new Date(now.getTime() + (wish.ttlSeconds ?? DEFAULT_TTL_S) * 1_000)
  const { ip = null, country = null } = wish
  await insertSession(
    tx,
    bucket,
    hashToken(token),
    { player: player.id, currency, expiresAt, endedAt: null, ip, country },
    now,
  )
  return { token, userId: player.id, currency, expiresAt: expiresAt.toISOString() }
}
