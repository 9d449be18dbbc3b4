/** Chunks of calls take turns in the same memory: what one keeps never becomes another one's. */
import { expect, test } from 'vitest'
import { Chunk, type ClosedChunk } from '../../src/feed/chunk.ts'
import { keyOf } from '../../src/feed/keys.ts'
import { unpacked } from '../../src/feed/packed.ts'
import { recordsIn } from '../../src/feed/record.ts'

const TIMES = { ageMs: 3, arrivalMs: 1, workMs: 2 }
const NAMES = { source: '127.0.0.1', outcome: 'accepted', secret: 0, status: 200, answer: '{}' }

interface Filling {
  readonly marker: string
  readonly calls: number
  readonly now: number
}

function fill(chunk: Chunk, { marker, calls, now }: Filling): ClosedChunk {
  for (let i = 0; i < calls; i++)
    chunk.add({ ...NAMES, ...TIMES, operation: marker, player: marker, body: Buffer.from(marker.repeat(500)) }, now)
  return chunk.close()
}

test('each has its own calls, keys and times, whatever the one before had: more of it, less, or so much that the memory grew', async () => {
  const chunk = new Chunk()
  const fillings = [
    { marker: 'a', calls: 200, now: 5_000 },
    { marker: 'b', calls: 3, now: 2_000 },
    { marker: 'c', calls: 2_000, now: 9_000 },
    { marker: 'd', calls: 1, now: 1_000 },
  ]
  const closed = fillings.map((one) => fill(chunk, one))
  expect([chunk.calls, chunk.raw().length]).toEqual([0, 0])
  for (const [place, { marker, calls, now }] of fillings.entries()) {
    const { bytes, keys, ...said } = closed[place] as ClosedChunk
    expect(said).toEqual({ at: now, since: now - TIMES.ageMs, calls, slowestMs: TIMES.ageMs })
    expect(new Set(keys)).toEqual(
      new Set([keyOf('player', marker), keyOf('operation', marker), keyOf('outcome', NAMES.outcome)]),
    )
    const records = recordsIn(await unpacked(bytes))
    expect(records).toHaveLength(calls)
    expect(new Set(records.map(({ body }) => body))).toEqual(new Set([marker.repeat(500)]))
  }
})
