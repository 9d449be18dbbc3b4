/** Inserts many players with all their data from another wallet (O-8). */

import type { PlayerId } from '@purser/protocol/wire-ids'
import { statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import { isUnrestricted } from '../rules/player-restrictions.ts'
import { markUnrestricted, NEW_PLAYER_COLUMNS, type Player, RULED_COLUMNS } from './player.ts'

/** Arrays of arrays and JSON null in an array cannot be sent, so both are texts. */
const PLAYER_ROWS = mapRows<Player>(2, {
  ...NEW_PLAYER_COLUMNS,
  ...RULED_COLUMNS,
  currencies: ['text', ({ currencies }) => currencies.join(' ')],
  custom_fields: ['text', ({ customFields }) => customFields && JSON.stringify(customFields)],
})
const AS_STORED = PLAYER_ROWS.columns
  .replace('currencies', "string_to_array(currencies, ' ')")
  .replace('custom_fields', 'custom_fields::json')
const IMPORT_PLAYERS = statement(
  'import_players',
  `insert into purser.player (bucket, ${PLAYER_ROWS.columns})
   select $1::int, ${AS_STORED} from ${PLAYER_ROWS.from} r order by player on conflict (bucket, player) do nothing returning player`,
)

/** Inserts the players that are new and resolves to their ids; existing players stay unchanged. */
export async function importPlayers(tx: Tx, bucket: number, players: readonly Player[]): Promise<Set<PlayerId>> {
  const rows = await tx.query<{ player: PlayerId }>(IMPORT_PLAYERS, [bucket, ...PLAYER_ROWS.values(players)])
  const inserted = new Set(rows.map(({ player }) => player))
  const plain = players.filter((player) => inserted.has(player.id) && isUnrestricted(player))
  await markUnrestricted(
    tx,
    bucket,
    plain.map(({ id }) => id),
  )
  return inserted
}
