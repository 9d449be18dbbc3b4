/**
 * Sessions of players, and the switch of the active currency, which ends all earlier tokens (P-1).
 */

import { CurrencySchema, IpSchema, TokenSchema, UserIdSchema } from '@purser/protocol/bet-request'
import { CountrySchema } from '@purser/protocol/user-profile'
import type { Currency } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { conflict } from '../../../core/http/api/problem-details.ts'
import { updatePlayer } from '../../store/player.ts'
import { endSessions, generateToken, hashToken, insertSession, type SessionRecord } from '../../store/session.ts'
import { playerChangedItems, recordWalletChanges } from '../../store/wallet-changes.ts'
import { type LocatedPlayer, type OperatorDeps, toCurrency, withPlayer } from '../operator-context.ts'

const DEFAULT_TTL_S = 86_400
const MAX_TTL_S = 365 * 86_400

const ttlSeconds = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_TTL_S,
    description: `The lifetime in seconds. The default is ${DEFAULT_TTL_S}.`,
  }),
)
const origin = {
  ip: Type.Optional(IpSchema),
  country: Type.Optional(CountrySchema),
}

export const NewPlayerSessionSchema = Type.Object(
  { currency: Type.Optional(CurrencySchema), ttlSeconds, ...origin },
  { additionalProperties: false, examples: [{ ttlSeconds: 3600 }] },
)
export const CurrencySwitchSchema = Type.Object(
  { currency: CurrencySchema, ttlSeconds, ...origin },
  { additionalProperties: false, examples: [{ currency: 'USD' }] },
)
export const PlayerSessionSchema = Type.Object({
  token: TokenSchema,
  userId: UserIdSchema,
  currency: CurrencySchema,
  expiresAt: Type.String({ format: 'date-time' }),
})

/** The body is optional. */
export function createSession(
  deps: OperatorDeps,
  author: Actor,
  userId: string,
  body: Static<typeof NewPlayerSessionSchema> | undefined,
) {
  return withPlayer(deps, userId, async (tx, located) => {
    const currency =
      body?.currency === undefined ? located.player.currency : requireAllowedCurrency(deps, located, body.currency)
    const { token, session, at } = buildSession(deps, located, currency, body ?? {})
    const change = { on: { userId }, before: {}, after: { session: renderSessionForLog(session) }, at }
    await Promise.all([insertSession(tx, located.bucket, hashToken(token), session, at), author.record(tx, change)])
    return renderToken(token, session)
  })
}

export function endAllSessions(deps: OperatorDeps, author: Actor, userId: string): Promise<void> {
  return withPlayer(deps, userId, async (tx, { player, bucket }) => {
    const at = deps.clock.now()
    const sessionsEnded = await endSessions(tx, bucket, player.id, at)
    await author.record(tx, { on: { userId }, before: {}, after: toSessionsEnded(sessionsEnded), at })
  })
}

/** Empty for the audit log if no session ended. */
export function toSessionsEnded(sessionsEnded: number) {
  return sessionsEnded > 0 ? { sessionsEnded } : {}
}

export function switchCurrency(
  deps: OperatorDeps,
  author: Actor,
  userId: string,
  body: Static<typeof CurrencySwitchSchema>,
) {
  return withPlayer(deps, userId, async (tx, located) => {
    const { player, bucket } = located
    const currency = requireAllowedCurrency(deps, located, body.currency)
    const { token, session, at } = buildSession(deps, located, currency, body)
    const sessionsEnded = await endSessions(tx, bucket, player.id, at)
    const after = { currency, ...toSessionsEnded(sessionsEnded), session: renderSessionForLog(session) }
    await Promise.all([
      updatePlayer(tx, bucket, { ...player, currency }),
      recordWalletChanges(tx, bucket, playerChangedItems(player, { ...player, currency }), at),
      insertSession(tx, bucket, hashToken(token), session, at),
      author.record(tx, { on: { userId }, before: { currency: player.currency }, after, at }),
    ])
    return renderToken(token, session)
  })
}

function requireAllowedCurrency(deps: OperatorDeps, { player }: LocatedPlayer, code: string): Currency {
  const currency = toCurrency(deps, code, '/currency')
  if (!player.currencies.includes(currency))
    throw conflict('currency_not_available', `${code} is not one of the player's currencies`)
  return currency
}

function buildSession(
  { clock, buckets }: OperatorDeps,
  { player, bucket }: LocatedPlayer,
  currency: Currency,
  { ttlSeconds = DEFAULT_TTL_S, ip, country }: Static<typeof NewPlayerSessionSchema>,
): { token: string; session: SessionRecord; at: Date } {
  const at = clock.now()
  const expiresAt = new Date(at.getTime() + ttlSeconds * 1_000)
  const origin = { ip: ip ?? null, country: country ?? null }
  const session = { player: player.id, currency, expiresAt, endedAt: null, ...origin }
  return { token: generateToken(bucket, buckets), session, at }
}

function renderToken(token: string, { player, currency, expiresAt }: SessionRecord) {
  return { token, userId: player, currency, expiresAt: expiresAt.toISOString() }
}

/** The audit log never contains the token. */
function renderSessionForLog({ currency, expiresAt, ip, country }: SessionRecord) {
  return {
    currency,
    expiresAt: expiresAt.toISOString(),
    ...(ip !== null && { ip }),
    ...(country !== null && { country }),
  }
}
