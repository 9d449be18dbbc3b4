/** A person with a connection to the wallets' database, who locks players in any order, and looks for a time at what is there. */
import pg from 'pg'
import { pause } from '../../runtime/pause.ts'
import type { Scene } from './scene.ts'

export interface Looking {
  readonly players: readonly number[]
  /** Milliseconds that the person looks at each of them. */
  readonly looks: readonly number[]
}

/** Milliseconds that a person waits for an answer. */
const PATIENCE_MS = 8_000

/** `meanwhile`: what everybody wants of the wallets when the first player is locked. */
export async function atDatabase(scene: Scene, { players, looks }: Looking, meanwhile: () => void): Promise<void> {
  const { proxy, trace, base } = scene
  const stream = () => proxy.newLine('a person')
  const connection = { connectionString: base.wallet.url, query_timeout: PATIENCE_MS, stream }
  const client = new pg.Client(connection as pg.ClientConfig)
  client.on('error', () => {})
  const ids = players.map((number) => scene.cast.players[number]?.userId ?? '')
  trace.note(`a person locks ${ids.join(' and ')}`)
  try {
    await client.connect()
    await client.query('begin')
    for (const [i, userId] of ids.entries()) {
      await client.query(`select 1 from purser.player where player = '${userId}' for update`)
      if (i === 0) meanwhile()
      await pause(looks[i] ?? 0)
    }
    await client.query('commit')
  } catch {
    // Whatever it was: the person goes.
  }
  await client.end().catch(() => {})
}
