/** Chunks of calls take turns in the same memory: what one keeps never becomes another one's. */
import { expect, test } from 'vitest'
import { Chunk, ChunkMemory } from '../../src/feed/chunk.ts'
import { unpacked } from '../../src/feed/packed.ts'
import { recordsIn } from '../../src/feed/record.ts'

const CALLS = 200
const TIMES = { ageMs: 3, arrivalMs: 1, workMs: 2 }
const NAMES = { source: '127.0.0.1', operation: 'place', outcome: 'accepted', secret: 0, status: 200, answer: '{}' }

function filled(memory: ChunkMemory, marker: string): Chunk {
  const chunk = new Chunk(memory)
  for (let i = 0; i < CALLS; i++) chunk.add({ ...NAMES, ...TIMES, body: Buffer.from(marker.repeat(500)) }, 1_000)
  return chunk
}

test('a chunk that is being closed keeps its memory; the next ones take it when it is closed', async () => {
  const memory = new ChunkMemory()
  const first = filled(memory, 'a')
  const closing = first.close()
  const second = filled(memory, 'b')
  const closed = await closing
  const third = filled(memory, 'c')
  expect(third.raw().buffer === first.raw().buffer).toBe(true)
  const markers = async (bytes: Buffer) =>
    new Set(recordsIn(await unpacked(bytes)).map(({ body }) => body.replace(/^(.)\1*$/s, '$1').slice(0, 9)))
  expect(await markers(closed.bytes)).toEqual(new Set(['a']))
  expect(await markers((await second.close()).bytes)).toEqual(new Set(['b']))
  expect(await markers((await third.close()).bytes)).toEqual(new Set(['c']))
})
