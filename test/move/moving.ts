// A move in this process, of databases of the test's own.
import { openDb } from '../../src/db/open.ts'
import { type MoveDone, type MoveOptions, move } from '../../src/move/run.ts'

export async function moveInto(from: string, to: string, over: Partial<MoveOptions> = {}): Promise<MoveDone> {
  const open = (url: string) => openDb({ kind: 'postgres', url })
  const dbs = await Promise.all([from, to, from, to].map(open))
  const [source, target, sourceHolder, targetHolder] = dbs as [
    (typeof dbs)[0],
    (typeof dbs)[0],
    (typeof dbs)[0],
    (typeof dbs)[0],
  ]
  return move({
    ...{ from: source, to: target, holders: { from: sourceHolder, to: targetHolder } },
    ...{ buckets: undefined, isLast: false, address: 'there/purser', signal: new AbortController().signal },
    ...{ now: () => new Date(), say: () => {}, progress: () => {} },
    ...over,
  }).finally(() => Promise.all(dbs.map((db) => db.close())))
}
