/**
 * Players: create, read and change (block, self-exclusion, verification, birthday, limits,
 * profile).
 */
import { isDeepStrictEqual } from 'node:util'
import { CurrencySchema, OperatorUserSchema, UserIdSchema } from '@purser/protocol/bet-request'
import type { Currency } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { toTime } from '../../../core/http/api/pagination.ts'
import { conflict, invalid } from '../../../core/http/api/problem-details.ts'
import { requirePathSafe } from '../../../core/http/api/storable-text.ts'
import { openAccounts } from '../../ledger/account.ts'
import {
  type Creation,
  creationOf,
  insertPlayer,
  type NewPlayer,
  type Player,
  readCreations,
  readPlayer,
  updatePlayer,
} from '../../store/player.ts'
import { endSessions } from '../../store/session.ts'
import { playerChangedItems, playerItem, recordWalletChanges } from '../../store/wallet-changes.ts'
import { toApprovalActor } from '../money/dual-approval.ts'
import { findPlayer, locatePlayer, type OperatorDeps, toCurrency, withPlayer } from '../operator-context.ts'
import { type CoolingOff, coolOff, showWaiting, WaitingSchema, waitingValues } from './cooling-off.ts'
import { StoredFieldsSchema, toStoredFields } from './custom-fields.ts'
import { toSessionsEnded } from './player-sessions.ts'
import { IS_BEING_ERASED, lockUserIdsShared } from './user-id-lock.ts'

const optional = Type.Optional
const orNull = <S extends Parameters<typeof Type.Optional>[0]>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const Currencies = Type.Array(CurrencySchema, { minItems: 1, maxItems: 200, uniqueItems: true })
export const DecimalSchema = Type.String({
  pattern: '^\\d{1,18}(\\.\\d{1,12})?$',
  description: 'Decimal amount, "12.10".',
})
const Birthday = Type.String({ format: 'date' })

const BRAND = '[A-Za-z0-9][A-Za-z0-9._~-]{0,63}'
export const BrandSchema = Type.String({
  pattern: `^${BRAND}$`,
  description: 'The site on which the player registered. It never changes, and reports group by it.',
})
/** Brand as a filter of lists; '' selects players without a brand. */
export const BrandOrNoneSchema = Type.String({
  pattern: `^(${BRAND})?$`,
  description: 'Only players of this brand. An empty value selects players without a brand.',
})

export const NewPlayerSchema = Type.Object(
  {
    userId: UserIdSchema,
    currency: CurrencySchema,
    currencies: optional(Currencies),
    isTest: optional(Type.Boolean()),
    operatorUser: optional(OperatorUserSchema),
    customFields: optional(StoredFieldsSchema),
    brand: optional(BrandSchema),
  },
  { additionalProperties: false, examples: [{ userId: 'alice', currency: 'EUR', currencies: ['EUR', 'USD'] }] },
)

const LimitsPatch = Type.Object(
  {
    stake: orNull(DecimalSchema),
    loss: orNull(DecimalSchema),
    betCount: orNull(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  },
  {
    additionalProperties: false,
    description: 'Limits for each currency and UTC day. A value of null removes a limit.',
  },
)

export const PlayerPatchSchema = Type.Object(
  {
    status: optional(Type.Enum(['active', 'blocked'])),
    selfExcludedUntil: orNull(Type.String({ format: 'date-time' })),
    verified: orNull(Type.Boolean({ description: 'The wallet declines bets with code 15 while this is false.' })),
    birthday: orNull(Birthday),
    limits: optional(LimitsPatch),
    currencies: optional(Currencies),
    isTest: orNull(Type.Boolean()),
    operatorUser: orNull(OperatorUserSchema),
    customFields: orNull(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The members are merged one by one (RFC 7396), and null removes a member. The result must be valid for a new player.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ status: 'blocked' }, { limits: { stake: '100.00', betCount: 20 } }] },
)

export const PlayerSchema = Type.Object({
  userId: UserIdSchema,
  currency: CurrencySchema,
  currencies: Type.Array(CurrencySchema),
  status: Type.Enum(['active', 'blocked']),
  isTest: Type.Boolean(),
  operatorUser: optional(OperatorUserSchema),
  selfExcludedUntil: optional(Type.String({ format: 'date-time' })),
  verified: optional(Type.Boolean()),
  birthday: optional(Birthday),
  limits: Type.Object({
    stake: optional(DecimalSchema),
    loss: optional(DecimalSchema),
    betCount: optional(Type.Integer()),
  }),
  waiting: optional(Type.Array(WaitingSchema)),
  customFields: optional(StoredFieldsSchema),
  brand: optional(BrandSchema),
  createdAt: Type.String({ format: 'date-time' }),
})

/**
 * 201: the player is new; 200: an equal request has created the player before. 409: another player
 * has this id, or the id is being erased (O-10).
 */
export async function createPlayer(deps: OperatorDeps, author: Actor, body: Static<typeof NewPlayerSchema>) {
  const newPlayer = toNewPlayer(deps, body)
  const { bucket } = locatePlayer(deps, body.userId, '/userId')
  const { created, player, creation } = await deps.db.transaction(async (tx) => {
    if ((await lockUserIdsShared(tx, [newPlayer.id])).has(newPlayer.id)) throw conflict('being_erased', IS_BEING_ERASED)
    const created = await insertPlayer(tx, bucket, newPlayer)
    if (created) await openAccounts(tx, bucket, newPlayer.id, newPlayer.currencies, deps.scales, newPlayer.createdAt)
    const player = await readPlayer(tx, bucket, newPlayer.id)
    if (created && player !== undefined) {
      const change = { on: { userId: newPlayer.id }, before: {}, after: renderPlayer(player), at: newPlayer.createdAt }
      await Promise.all([
        author.record(tx, change),
        recordWalletChanges(tx, bucket, [playerItem('player.created', player)], newPlayer.createdAt),
      ])
    }
    return { created, player, creation: (await readCreations(tx, bucket, [newPlayer.id])).get(newPlayer.id) }
  })
  if (player === undefined || creation === undefined || !isSameCreation(creation, creationOf(newPlayer)))
    throw conflict('player_differs', 'a player with this userId was created with other data')
  return { status: created ? 201 : 200, body: renderPlayer(player) } as const
}

/**
 * Compares two requests. The order of `currencies` does not matter, because `currency` names the
 * active one.
 */
export function isSameCreation(one: Creation, other: Creation): boolean {
  const inOrder = (creation: Creation) => ({ ...creation, currencies: creation.currencies.toSorted() })
  return isDeepStrictEqual(inOrder(one), inOrder(other))
}

export function toNewPlayer(deps: OperatorDeps, body: Static<typeof NewPlayerSchema>): NewPlayer {
  requirePathSafe(body.userId, '/userId')
  const currency = toCurrency(deps, body.currency, '/currency')
  const currencies = (body.currencies ?? [currency]).map((code, i) => toCurrency(deps, code, `/currencies/${i}`))
  if (!currencies.includes(currency)) throw invalid('/currencies', 'must contain the currency')
  const { isTest = null, operatorUser = null, brand = null } = body
  return {
    id: locatePlayer(deps, body.userId, '/userId').id,
    currency,
    currencies,
    isTest,
    operatorUser,
    customFields: body.customFields === undefined ? null : toStoredFields(body.customFields),
    brand,
    createdAt: deps.clock.now(),
  }
}

export async function getPlayer(deps: OperatorDeps, userId: string) {
  return renderPlayer((await findPlayer(deps, userId)).player)
}

/** Answers 202 if a part of the change must wait (W-50); the other parts are applied. */
export function patchPlayer(
  deps: OperatorDeps & { readonly coolingOff: CoolingOff },
  author: Actor,
  userId: string,
  patch: Static<typeof PlayerPatchSchema>,
) {
  return withPlayer(deps, userId, async (tx, { player, bucket }) => {
    const at = deps.clock.now()
    const [newPlayer, by] = [applyPatch(deps, player, patch), toApprovalActor(author)]
    const { coolingOff } = deps
    const { player: changed, waits } = coolOff({ coolingOff, by, patch, before: player, wanted: newPlayer, now: at })
    await updatePlayer(tx, bucket, changed)
    await openAccounts(tx, bucket, player.id, changed.currencies, deps.scales, at)
    await recordWalletChanges(tx, bucket, playerChangedItems(player, changed), at)
    const removed = player.currencies.filter((currency) => !changed.currencies.includes(currency))
    const sessionsEnded = removed.length > 0 ? await endSessions(tx, bucket, player.id, at, removed) : 0
    const after = { ...forLog(changed), ...toSessionsEnded(sessionsEnded) }
    await author.record(tx, { on: { userId }, before: forLog(player), after, at })
    return { status: waits ? 202 : 200, body: renderPlayer(changed) } as const
  })
}

export function applyPatch(deps: OperatorDeps, player: Player, patch: Static<typeof PlayerPatchSchema>): Player {
  const { status, selfExcludedUntil, verified, birthday, limits, currencies, isTest, operatorUser, customFields } =
    patch
  return {
    ...player,
    ...(status !== undefined && { status }),
    ...(selfExcludedUntil !== undefined && {
      selfExcludedUntil: selfExcludedUntil === null ? null : toTime(selfExcludedUntil, '/selfExcludedUntil'),
    }),
    ...(verified !== undefined && { verified }),
    ...(birthday !== undefined && { birthday }),
    ...(limits !== undefined && { limits: merge(player.limits, limits) }),
    ...(currencies !== undefined && { currencies: changeCurrencies(deps, player, currencies) }),
    ...(isTest !== undefined && { isTest }),
    ...(operatorUser !== undefined && { operatorUser }),
    ...(customFields !== undefined && {
      customFields:
        customFields === null ? null : toStoredFields(merge<object>(player.customFields ?? {}, customFields)),
    }),
  }
}

function changeCurrencies(deps: OperatorDeps, player: Player, codes: readonly string[]): Currency[] {
  if (!codes.includes(player.currency))
    throw invalid('/currencies', `must contain the active currency ${player.currency}`)
  return codes.map((code, i) => toCurrency(deps, code, `/currencies/${i}`))
}

function merge<T extends object>(current: T, patch: object): T {
  const merged = Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(merged) as T
}

export function renderPlayer(player: Player): Static<typeof PlayerSchema> {
  const waiting = showWaiting(player.waiting)
  return { ...showMembers(player), ...(waiting.length > 0 && { waiting }) }
}

function forLog(player: Player) {
  return { ...showMembers(player), ...waitingValues(player.waiting) }
}

/** All members except `waiting`. */
function showMembers(player: Player): Static<typeof PlayerSchema> {
  const {
    id,
    currency,
    currencies,
    status,
    isTest,
    operatorUser,
    selfExcludedUntil,
    verified,
    birthday,
    limits,
    customFields,
    brand,
  } = player
  return {
    userId: id,
    currency,
    currencies: [...currencies],
    status,
    isTest: isTest ?? false,
    ...(operatorUser !== null && { operatorUser }),
    ...(selfExcludedUntil !== null && { selfExcludedUntil: selfExcludedUntil.toISOString() }),
    ...(verified !== null && { verified }),
    ...(birthday !== null && { birthday }),
    limits,
    ...(customFields !== null && { customFields }),
    ...(brand !== null && { brand }),
    createdAt: player.createdAt.toISOString(),
  }
}

export const PersonalDataSchema = Type.Object({
  userId: PlayerSchema.properties.userId,
  birthday: PlayerSchema.properties.birthday,
  customFields: PlayerSchema.properties.customFields,
})

/**
 * Reveals a player's personal data. The audit log records the user and the names of the revealed
 * members (O-15). A browser gets personal data only this way.
 */
export function openPersonalData(
  deps: OperatorDeps,
  author: Actor,
  userId: string,
): Promise<Static<typeof PersonalDataSchema>> {
  return withPlayer(deps, userId, async (tx, { player: { birthday, customFields } }) => {
    const data = { ...(birthday !== null && { birthday }), ...(customFields !== null && { customFields }) }
    const opened = [...(birthday === null ? [] : ['birthday']), ...Object.keys(customFields ?? {})]
    await author.record(tx, { on: { userId }, before: {}, after: { opened }, at: deps.clock.now() })
    return { userId, ...data }
  })
}
