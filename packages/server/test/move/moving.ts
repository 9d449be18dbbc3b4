// Moves a wallet between databases of the test, in this process.
import { openDb } from '../../src/core/database/database-factory.ts'
import { type MoveOptions, type MoveResult, moveDatabase } from '../../src/wallet/relocate/database-move.ts'

export async function moveInto(from: string, to: string, over: Partial<MoveOptions> = {}): Promise<MoveResult> {
  const open = (url: string) => openDb({ kind: 'postgres', url })
  const dbs = await Promise.all([from, to, from, to].map(open))
  const [source, target, sourceHolder, targetHolder] = dbs as [
    (typeof dbs)[0],
    (typeof dbs)[0],
    (typeof dbs)[0],
    (typeof dbs)[0],
  ]
  return moveDatabase({
    ...{ from: source, to: target, holders: { from: sourceHolder, to: targetHolder } },
    ...{ buckets: undefined, isLast: false, address: 'there/purser', signal: new AbortController().signal },
    ...{ now: () => new Date(), print: () => {}, progress: () => {} },
    ...over,
  }).finally(() => Promise.all(dbs.map((db) => db.close())))
}
