/** Many players at once, with all that another wallet knew of them (O-8). */

import { statement, type Tx } from '../../db/db.ts'
import { rowsOf } from '../../db/rows.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import { isPlain } from '../decide/plain.ts'
import { creationOf, markPlain, type Player, profileKeys } from './player.ts'

const IMPORTED = rowsOf<Player>(2, {
  player: ['text', (player) => player.id],
  currency: ['text', (player) => player.currency],
  currencies: ['text', (player) => player.currencies.join(' ')],
  is_test: ['boolean', (player) => player.isTest],
  operator_user: ['text', (player) => player.operatorUser],
  custom_fields: ['text', (player) => player.customFields && JSON.stringify(player.customFields)],
  brand: ['text', (player) => player.brand],
  status: ['text', (player) => player.status],
  self_excluded_until: ['timestamptz', (player) => player.selfExcludedUntil?.toISOString()],
  verified: ['boolean', (player) => player.verified],
  birthday: ['text', (player) => player.birthday],
  limits: ['text', (player) => JSON.stringify(player.limits)],
  created_at: ['timestamptz', (player) => player.createdAt.toISOString()],
  created_as: ['text', (player) => JSON.stringify(creationOf(player))],
  nickname_key: ['text', (player) => profileKeys(player.customFields)[0]],
  email_key: ['text', (player) => profileKeys(player.customFields)[1]],
})
const IMPORT_PLAYERS = statement(
  'import_players',
  `insert into purser.player (bucket, ${IMPORTED.columns})
   select $1::int, player, currency, string_to_array(currencies, ' '), is_test, operator_user, custom_fields::json, brand, status,
     self_excluded_until, verified, birthday, limits::json, created_at, created_as::json, nickname_key, email_key
   from ${IMPORTED.from} r order by player on conflict (bucket, player) do nothing returning player`,
)

/** Inserts players with all that is known of them. Resolves to the ids that were new; the others are as they were. */
export async function importPlayers(tx: Tx, bucket: number, players: readonly Player[]): Promise<Set<PlayerId>> {
  const rows = await tx.query<{ player: PlayerId }>(IMPORT_PLAYERS, [bucket, ...IMPORTED.values(players)])
  const inserted = new Set(rows.map(({ player }) => player))
  const plain = players.filter((player) => inserted.has(player.id) && isPlain(player))
  await markPlain(
    tx,
    bucket,
    plain.map(({ id }) => id),
  )
  return inserted
}
