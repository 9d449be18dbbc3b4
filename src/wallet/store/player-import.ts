/** Many players at once, with all that another wallet knew of them (O-8). */

import { statement, type Tx } from '../../db/db.ts'
import { rowsOf } from '../../db/rows.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import { isPlain } from '../decide/plain.ts'
import { markPlain, OF_NEW, OF_RULED, type Player } from './player.ts'

/** Arrays of arrays do not travel, nor does no JSON in an array of JSON: both are texts. */
const IMPORTED = rowsOf<Player>(2, {
  ...OF_NEW,
  ...OF_RULED,
  currencies: ['text', ({ currencies }) => currencies.join(' ')],
  custom_fields: ['text', ({ customFields }) => customFields && JSON.stringify(customFields)],
})
const AS_STORED = IMPORTED.columns
  .replace('currencies', "string_to_array(currencies, ' ')")
  .replace('custom_fields', 'custom_fields::json')
const IMPORT_PLAYERS = statement(
  'import_players',
  `insert into purser.player (bucket, ${IMPORTED.columns})
   select $1::int, ${AS_STORED} from ${IMPORTED.from} r order by player on conflict (bucket, player) do nothing returning player`,
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
