// The users of the placement bench. Each has its own connection and places one bet after another.
import { createHistogram } from 'node:perf_hooks'
import { type HttpConnection, openHttpConnection } from '../http-connection.ts'
import { HOST } from '../server-process.ts'

export interface PlacementLoad {
  port: number
  key: string
  frames: string[]
  events: number
}

export interface PlacementCounts {
  accepted: number
  /** Status → replies other than 201; 0 means that the connection broke. */
  others: Record<string, number>
  seconds: number
  p50Ms: number
  p99Ms: number
}

const CREATED = 201
const NS_PER_MS = 1_000_000

export async function withUsers<Result>(
  bets: PlacementLoad,
  count: number,
  use: (place: (seconds: number) => Promise<PlacementCounts>) => Promise<Result>,
): Promise<Result> {
  const users = await Promise.all(Array.from({ length: count }, () => openHttpConnection(HOST, bets.port)))
  let number = 0
  const next = () => requestOf(bets, number++)
  return use((seconds) => drive(users, next, seconds)).finally(() => {
    for (const user of users) user.close()
  })
}

/**
 * Ends when the time is over and every reply has arrived. The rate includes late replies and their
 * time.
 */
async function drive(users: HttpConnection[], next: () => Buffer, seconds: number): Promise<PlacementCounts> {
  const latency = createHistogram({ figures: 3 })
  const statuses = new Map<number, number>()
  const start = performance.now()
  const deadline = start + seconds * 1_000
  const keepBusy = (user: HttpConnection): Promise<void> =>
    new Promise((resolve) => {
      const placeNext = (now: number) => {
        if (now >= deadline) return resolve()
        user.send(next(), (status) => {
          const answeredAt = performance.now()
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === CREATED) latency.record(Math.ceil((answeredAt - now) * NS_PER_MS))
          if (status === 0) resolve()
          else placeNext(answeredAt)
        })
      }
      placeNext(performance.now())
    })
  await Promise.all(users.map(keepBusy))
  const { [CREATED]: accepted = 0, ...others } = Object.fromEntries(statuses)
  const [p50Ms, p99Ms] = [50, 99].map((percent) => latency.percentile(percent) / NS_PER_MS) as [number, number]
  return { accepted, others, seconds: (performance.now() - start) / 1_000, p50Ms, p99Ms }
}

/** A single bet with usual data, about 650 bytes. */
function requestOf({ port, key, frames, events }: PlacementLoad, number: number): Buffer {
  const selection = {
    ...{ disciplineId: '1', discipline: 'Football', tournamentId: '88637', tournament: 'Premier League' },
    ...{ tournamentRegionCode: 'GB', eventId: `event-${number % events}`, event: 'Northern Rovers - Southern United' },
    ...{
      eventDate: '2030-05-04 18:45:00',
      marketId: '1',
      market: 'Winner',
      outcomeId: `${number % 3}`,
      outcome: 'Draw',
    },
    ...{ coefficient: '1.85', stage: 1 },
  }
  const bet = { frameSessionId: frames[number % frames.length], amount: '10.00', selections: [selection] }
  const body = JSON.stringify({ ...bet, idempotencyKey: `slip-${number}`, ip: '203.0.113.7' })
  const head = [
    'POST /bets HTTP/1.1',
    `host: ${HOST}:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1')
}
