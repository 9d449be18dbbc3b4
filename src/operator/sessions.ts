/** Sessions of players, and the switch of the active currency, which makes every earlier token out of date (P-1). */
import { type Static, Type } from 'typebox'
import { conflict } from '../http/problem.ts'
import type { Author } from '../people/actions.ts'
import { CurrencySchema, IpSchema, TokenSchema, UserIdSchema } from '../protocol/bet-request.ts'
import type { Currency } from '../protocol/ids.ts'
import { CountrySchema } from '../protocol/user-profile.ts'
import { noteChanges, playerChangedItems } from '../wallet/store/change.ts'
import { updatePlayer } from '../wallet/store/player.ts'
import { endSessions, hashToken, insertSession, newToken, type SessionRecord } from '../wallet/store/session.ts'
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
export function createSession(
  deps: OperatorDeps,
  author: Author,
  userId: string,
  body: Static<typeof NewSessionSchema> | undefined,
) {
  return withPlayer(deps, userId, async (tx, located) => {
    const currency = body?.currency === undefined ? located.player.currency : allowed(deps, located, body.currency)
    const { token, session, at } = newSession(deps, located, currency, body ?? {})
    const change = { on: { userId }, before: {}, after: { session: showSession(session) }, at }
    await Promise.all([insertSession(tx, located.bucket, hashToken(token), session, at), author.record(tx, change)])
    return showToken(token, session)
  })
}

export function endAllSessions(deps: OperatorDeps, author: Author, userId: string): Promise<void> {
  return withPlayer(deps, userId, async (tx, { player, bucket }) => {
    const at = deps.clock.now()
    const sessionsEnded = await endSessions(tx, bucket, player.id, at)
    await author.record(tx, { on: { userId }, before: {}, after: countOf(sessionsEnded), at })
  })
}

/** In the log: nothing when there was none. */
export function countOf(sessionsEnded: number) {
  return sessionsEnded > 0 ? { sessionsEnded } : {}
}

/** Ends every session of the player, makes the currency the active one and issues a token bound to it. */
export function switchCurrency(deps: OperatorDeps, author: Author, userId: string, body: Static<typeof SwitchSchema>) {
  return withPlayer(deps, userId, async (tx, located) => {
    const { player, bucket } = located
    const currency = allowed(deps, located, body.currency)
    const { token, session, at } = newSession(deps, located, currency, body)
    const sessionsEnded = await endSessions(tx, bucket, player.id, at)
    const after = { currency, ...countOf(sessionsEnded), session: showSession(session) }
    await Promise.all([
      updatePlayer(tx, bucket, { ...player, currency }),
      noteChanges(tx, bucket, playerChangedItems(player, { ...player, currency }), at),
      insertSession(tx, bucket, hashToken(token), session, at),
      author.record(tx, { on: { userId }, before: { currency: player.currency }, after, at }),
    ])
    return showToken(token, session)
  })
}

function allowed(deps: OperatorDeps, { player }: Located, code: string): Currency {
  const currency = toCurrency(deps, code, '/currency')
  if (!player.currencies.includes(currency))
    throw conflict('currency_not_available', `${code} is not one of the player's currencies`)
  return currency
}

function newSession(
  { clock, buckets }: OperatorDeps,
  { player, bucket }: Located,
  currency: Currency,
  { ttlSeconds = DEFAULT_TTL_S, ip, country }: Static<typeof NewSessionSchema>,
): { token: string; session: SessionRecord; at: Date } {
  const at = clock.now()
  const expiresAt = new Date(at.getTime() + ttlSeconds * 1_000)
  const origin = { ip: ip ?? null, country: country ?? null }
  const session = { player: player.id, currency, expiresAt, endedAt: null, ...origin }
  return { token: newToken(bucket, buckets), session, at }
}

function showToken(token: string, { player, currency, expiresAt }: SessionRecord) {
  return { token, userId: player, currency, expiresAt: expiresAt.toISOString() }
}

/** For the log: never the token. */
function showSession({ currency, expiresAt, ip, country }: SessionRecord) {
  return {
    currency,
    expiresAt: expiresAt.toISOString(),
    ...(ip !== null && { ip }),
    ...(country !== null && { country }),
  }
}
