/**
 * Segments of the journal reuse the same memory, but no segment contains data of an earlier one.
 */
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashJournalKey } from '../../src/core/call-journal/journal-keys.ts'
import { parseRecords } from '../../src/core/call-journal/journal-record.ts'
import { type ClosedSegment, JournalSegment } from '../../src/core/call-journal/journal-segment.ts'
import { decompressSegment } from '../../src/core/call-journal/segment-compression.ts'

const TIMES = { ageMs: 3, arrivalMs: 1, workMs: 2 }
const NAMES = { source: '127.0.0.1', outcome: 'accepted', secret: 0, status: 200, answer: '{}' }

interface Filling {
  readonly marker: string
  readonly calls: number
  readonly now: number
}

function fill(chunk: JournalSegment, { marker, calls, now }: Filling): ClosedSegment {
  for (let i = 0; i < calls; i++)
    chunk.add({ ...NAMES, ...TIMES, operation: marker, player: marker, body: Buffer.from(marker.repeat(500)) }, now)
  return chunk.close()
}

test('each segment has its own calls, keys and times, after a larger or smaller previous segment', async () => {
  const chunk = new JournalSegment()
  const fillings = [
    { marker: 'a', calls: 200, now: 5_000 },
    { marker: 'b', calls: 3, now: 2_000 },
    { marker: 'c', calls: 2_000, now: 9_000 },
    { marker: 'd', calls: 1, now: 1_000 },
  ]
  const closed = fillings.map((one) => fill(chunk, one))
  expect([chunk.calls, chunk.raw().length]).toEqual([0, 0])
  for (const [place, { marker, calls, now }] of fillings.entries()) {
    const { bytes, keys, ...said } = closed[place] as ClosedSegment
    expect(said).toEqual({ at: now, since: now - TIMES.ageMs, calls, slowestMs: TIMES.ageMs })
    expect(new Set(keys)).toEqual(
      new Set([
        hashJournalKey('player', marker),
        hashJournalKey('operation', marker),
        hashJournalKey('outcome', NAMES.outcome),
      ]),
    )
    const records = parseRecords(await decompressSegment(bytes))
    expect(records).toHaveLength(calls)
    expect(new Set(records.map(({ body }) => body))).toEqual(new Set([marker.repeat(500)]))
  }
})

/** A text that compresses badly. */
function noise(letters: number): string {
  const bytes = randomBytes(2 * letters)
  const letterAt = (i: number) => String.fromCharCode(0x4e00 + (bytes.readUInt16LE(2 * i) % 0x5000))
  return Array.from({ length: letters }, (_, i) => letterAt(i)).join('')
}

test('the body of an unauthenticated call is truncated and stored with its full hash, so that such calls do not fill the disk', async () => {
  const chunk = new JournalSegment()
  const bodies = Array.from({ length: 20 }, (_, i) =>
    Buffer.from(i % 2 === 0 ? noise(9_000) : `{"token":"${'x'.repeat(64)}","info":"${noise(2_000)}"}`),
  )
  const { secret: _, ...stranger } = NAMES
  for (const body of bodies) chunk.add({ ...stranger, ...TIMES, operation: 'unknown', body }, 1_000)
  const { bytes } = chunk.close()
  expect(bytes.length).toBeLessThan(20 * 2_300) // 200 MB a day
  for (const [i, kept] of parseRecords(await decompressSegment(bytes)).entries()) {
    const body = bodies[i] as Buffer
    expect(kept.bodyBytes).toBe(body.length)
    expect(kept.bodySha256).toBe(createHash('sha256').update(body).digest('hex'))
    expect(kept.body.endsWith('…')).toBe(true)
    expect(kept.body.slice(0, 5)).toBe(body.toString('utf8').slice(0, 5))
    expect(kept.body).not.toContain('xxxxx')
  }
})
