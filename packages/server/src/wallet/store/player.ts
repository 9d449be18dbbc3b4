/**
 * Player with the properties that the rules check. The lock on a player protects all money of the
 * player.
 */

import type { CustomFields } from '@purser/protocol/user-profile'
import { type Currency, isStorable, type PlayerId } from '@purser/protocol/wire-ids'
import { type Statement, statement, type Tx } from '../../core/database/db.ts'
import { type ColumnMappings, mapSingleRow } from '../../core/database/row-mapping.ts'
import { isUnrestricted, type PlayerRestrictions } from '../rules/player-restrictions.ts'

/**
 * Limits of a player, per currency and UTC day. Amounts are decimal texts, so they are valid in
 * every currency.
 */
export interface PlayerLimits {
  /** Sum of stakes (code 11). */
  readonly stake?: string
  /** Stakes less payouts (code 12). */
  readonly loss?: string
  /** Number of bets (code 13). */
  readonly betCount?: number
}

/** Members whose change may be delayed (W-50). */
export type Protection = 'status' | 'selfExcludedUntil' | `limits.${keyof PlayerLimits}`

/** A requested change that is not applied yet. Times are texts of RFC 3339. */
export interface WaitingChange {
  readonly value: string | number | null
  readonly key: string
  readonly person: string
  readonly askedAt: string
  readonly from?: string
  readonly until: string
}
export type WaitingChanges = Readonly<Partial<Record<Protection, WaitingChange>>>

export interface Player {
  readonly id: PlayerId
  /** Currency of new sessions that name no other. */
  readonly currency: Currency
  readonly currencies: readonly Currency[]
  readonly status: 'active' | 'blocked'
  readonly isTest: boolean | null
  readonly operatorUser: string | null
  readonly customFields: CustomFields | null
  /** Site of the registration; it never changes, so the sums of reports by brand stay the same. */
  readonly brand: string | null
  readonly selfExcludedUntil: Date | null
  /** Only an explicit `false` refuses bets (code 15). */
  readonly verified: boolean | null
  /** YYYY-MM-DD; null means no check of the age (code 16). */
  readonly birthday: string | null
  readonly limits: PlayerLimits
  readonly waiting: WaitingChanges | null
  readonly createdAt: Date
}

export type RuledPlayer = Pick<Player, 'id' | 'status' | 'selfExcludedUntil' | 'verified' | 'birthday' | 'limits'>

/** A locked player. `isMarked`: the row is marked as unrestricted (`isUnrestricted`). */
export type LockedPlayer = RuledPlayer & { readonly isMarked: boolean }

export interface PlayerRow extends Record<string, unknown> {
  player: PlayerId
  currency: Currency
  currencies: Currency[]
  status: Player['status']
  is_test: boolean | null
  operator_user: string | null
  custom_fields: CustomFields | null
  brand: string | null
  self_excluded_until: Date | null
  verified: boolean | null
  birthday: string | null
  limits: PlayerLimits
  waiting: WaitingChanges | null
  created_at: Date
}

export const PLAYER_COLUMNS = `player, currency, currencies, status, is_test, operator_user, custom_fields, brand, self_excluded_until,
  verified, birthday, limits, waiting, created_at`

const LOCK_PLAYERS = statement(
  'lock_players',
  `select ${PLAYER_COLUMNS} from purser.player where bucket = $1::int and player = any($2::text[]) order by player for update`,
)

/**
 * Locks players in sorted order. Later reads of the transaction see the state that the previous
 * holder of the lock committed.
 */
export function lockPlayers(tx: Tx, bucket: number, players: readonly PlayerId[]): Promise<Map<PlayerId, Player>> {
  return queryPlayers(tx, LOCK_PLAYERS, bucket, [...players].sort())
}

/**
 * Input of `isUnrestricted` as a text. The mark stores this text and is valid only while it is the
 * same, so a change by hand ends the mark. It uses only operators and casts, which Citus permits in
 * an UPDATE.
 */
const RESTRICTIONS_TEXT = "status || ' ' || coalesce(verified::text, '-') || ' ' || limits::text"

/**
 * SQL condition: the player is marked as unrestricted, and the restrictions have not changed since.
 */
export const IS_UNRESTRICTED = `unrestricted_as = ${RESTRICTIONS_TEXT}`

const MARK_UNRESTRICTED = statement(
  'mark_unrestricted',
  `update purser.player set unrestricted_as = ${RESTRICTIONS_TEXT} where bucket = $1::int and player = any($2::text[])`,
)

/**
 * Marks these players as unrestricted. The caller holds their locks and has checked
 * `isUnrestricted`.
 */
export async function markUnrestricted(tx: Tx, bucket: number, players: readonly PlayerId[]): Promise<void> {
  if (players.length > 0) await tx.execute(MARK_UNRESTRICTED, [bucket, players])
}

const LOCK_RULED_PLAYERS = statement(
  'lock_ruled_players',
  `select player, status, self_excluded_until, verified, birthday, limits, coalesce(${IS_UNRESTRICTED}, false) as is_marked
   from purser.player where bucket = $1::int and player = any($2::text[]) order by player for update`,
)

/** Locks players as `lockPlayers` does, and reads only the members that the rules check. */
export async function lockRuledPlayers(
  tx: Tx,
  bucket: number,
  players: readonly PlayerId[],
): Promise<Map<PlayerId, LockedPlayer>> {
  const rows = await tx.query<PlayerRow & { is_marked: boolean }>(LOCK_RULED_PLAYERS, [bucket, [...players].sort()])
  return new Map(rows.map((row) => [row.player, toLockedPlayer(row)]))
}

function toLockedPlayer(row: PlayerRow & { is_marked: boolean }): LockedPlayer {
  return {
    id: row.player,
    status: row.status,
    selfExcludedUntil: row.self_excluded_until,
    verified: row.verified,
    birthday: row.birthday,
    limits: row.limits,
    isMarked: row.is_marked,
  }
}

const READ_PLAYERS = statement(
  'read_players',
  `select ${PLAYER_COLUMNS} from purser.player where bucket = $1::int and player = any($2::text[])`,
)

export async function readPlayer(tx: Pick<Tx, 'query'>, bucket: number, player: PlayerId): Promise<Player | undefined> {
  return (await queryPlayers(tx, READ_PLAYERS, bucket, [player])).get(player)
}

async function queryPlayers(
  tx: Pick<Tx, 'query'>,
  query: Statement,
  bucket: number,
  players: readonly PlayerId[],
): Promise<Map<PlayerId, Player>> {
  const rows = await tx.query<PlayerRow>(query, [bucket, players])
  return new Map(rows.map((row) => [row.player, toPlayer(row)]))
}

export function toPlayer(row: PlayerRow): Player {
  return {
    id: row.player,
    currency: row.currency,
    currencies: row.currencies,
    status: row.status,
    isTest: row.is_test,
    operatorUser: row.operator_user,
    customFields: row.custom_fields,
    brand: row.brand,
    selfExcludedUntil: row.self_excluded_until,
    verified: row.verified,
    birthday: row.birthday,
    limits: row.limits,
    waiting: row.waiting,
    createdAt: row.created_at,
  }
}

export type NewPlayer = Pick<
  Player,
  'id' | 'currency' | 'currencies' | 'isTest' | 'operatorUser' | 'customFields' | 'brand' | 'createdAt'
>

/** Columns that may change after the creation. */
const PROFILE_COLUMNS: ColumnMappings<NewPlayer> = {
  currency: ['text', ({ currency }) => currency],
  currencies: ['text[]', ({ currencies }) => currencies],
  is_test: ['boolean', ({ isTest }) => isTest],
  operator_user: ['text', ({ operatorUser }) => operatorUser],
  custom_fields: ['json', ({ customFields }) => customFields && JSON.stringify(customFields)],
  nickname_key: ['text', ({ customFields }) => profileKeys(customFields)[0]],
  email_key: ['text', ({ customFields }) => profileKeys(customFields)[1]],
}
export const NEW_PLAYER_COLUMNS: ColumnMappings<NewPlayer> = {
  player: ['text', ({ id }) => id],
  ...PROFILE_COLUMNS,
  brand: ['text', ({ brand }) => brand],
  created_at: ['timestamptz', ({ createdAt }) => createdAt.toISOString()],
  created_as: ['json', (player) => JSON.stringify(creationOf(player))],
}
export const RULED_COLUMNS: ColumnMappings<Player> = {
  status: ['text', ({ status }) => status],
  self_excluded_until: ['timestamptz', ({ selfExcludedUntil }) => selfExcludedUntil?.toISOString() ?? null],
  verified: ['boolean', ({ verified }) => verified],
  birthday: ['text', ({ birthday }) => birthday],
  limits: ['json', ({ limits }) => JSON.stringify(limits)],
}

const NEW = mapSingleRow<NewPlayer>(2, NEW_PLAYER_COLUMNS)
const INSERT_PLAYER = statement(
  'insert_player',
  `insert into purser.player (bucket, ${NEW.columns}) values ($1::int, ${NEW.parameters}) on conflict (bucket, player) do nothing`,
)

/** Same values as the defaults of the table. */
const DEFAULT_RESTRICTIONS: PlayerRestrictions = { status: 'active', verified: null, limits: {} }

/** Returns false and writes nothing if a player with this id exists. */
export async function insertPlayer(tx: Tx, bucket: number, player: NewPlayer): Promise<boolean> {
  const isNew = (await tx.execute(INSERT_PLAYER, [bucket, ...NEW.values(player)])) === 1
  if (isNew && isUnrestricted(DEFAULT_RESTRICTIONS)) await markUnrestricted(tx, bucket, [player.id])
  return isNew
}

/** Characters; a longer key would exceed the limit of an index. */
const KEY_LENGTH = 200

/**
 * Normalizes a text of a profile for the search; undefined if the database cannot store the text.
 */
export function toProfileKey(text: string | undefined): string | undefined {
  const key = text?.toLowerCase()
  return key && isStorable(key) ? [...key].slice(0, KEY_LENGTH).join('') : undefined
}

export function profileKeys(fields: CustomFields | null): (string | null)[] {
  return [fields?.nickname, fields?.email].map((text) => toProfileKey(text) ?? null)
}

const READ_CREATIONS = statement(
  'read_creations',
  'select player, created_as from purser.player where bucket = $1::int and player = any($2::text[])',
)

/** Reads the members that players had at their creation, before later changes. */
export async function readCreations(
  tx: Pick<Tx, 'query'>,
  bucket: number,
  players: readonly PlayerId[],
): Promise<Map<PlayerId, Creation>> {
  const rows = await tx.query<{ player: PlayerId; created_as: Creation }>(READ_CREATIONS, [bucket, players])
  return new Map(rows.map((row) => [row.player, row.created_as]))
}

/**
 * The members that decide if two requests to create a player are equal. Without a brand, `brand` is
 * absent.
 */
export type Creation = Omit<NewPlayer, 'createdAt' | 'brand'> & { readonly brand?: string }

export function creationOf({ createdAt: _, brand, ...creation }: NewPlayer): Creation {
  return { ...creation, ...(brand !== null && { brand }) }
}

const CHANGED_COLUMNS = mapSingleRow<Player>(3, {
  ...PROFILE_COLUMNS,
  ...RULED_COLUMNS,
  waiting: ['json', ({ waiting }) => waiting && JSON.stringify(waiting)],
})
const UPDATE_PLAYER = statement(
  'update_player',
  `update purser.player set ${CHANGED_COLUMNS.assignments} where bucket = $1::int and player = $2::text`,
)

/** Writes all columns; the caller holds the lock. */
export async function updatePlayer(tx: Tx, bucket: number, player: Player): Promise<void> {
  await tx.execute(UPDATE_PLAYER, [bucket, player.id, ...CHANGED_COLUMNS.values(player)])
  if (isUnrestricted(player)) await markUnrestricted(tx, bucket, [player.id])
}
