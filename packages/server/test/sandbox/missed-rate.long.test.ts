/**
 * The sandbox reports a missed rate every ten seconds, and at its end also for the last seconds.
 */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import type { ActivityLog } from '../../src/sandbox/activity-log.ts'
import { createBearerClient } from '../../src/sandbox/bearer-client.ts'
import { createBetWatch } from '../../src/sandbox/bettors/bet-watch.ts'
import { simulateBettors } from '../../src/sandbox/bettors/bettor-simulation.ts'
import type { SandboxOperator, SessionEntry } from '../../src/sandbox/sandbox-servers.ts'

let server: Server
afterEach(() => server.close())

/**
 * The server is wallet and platform in one. It leaves every bet unanswered until `release` is
 * called or `most` bets wait, and then declines them all.
 */
async function startHoldingServer(most: number) {
  let [placing, isHeld]: [ServerResponse[], boolean] = [[], true]
  const answer = (response: ServerResponse) =>
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify(BODY))
  const release = () => {
    isHeld = false
    placing.forEach(answer)
    placing = []
  }
  server = createServer(({ url }, response) => {
    if (url !== '/bets' || !isHeld) return answer(response)
    placing.push(response)
    if (placing.length === most) release()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { client: createBearerClient(`http://127.0.0.1:${port}`, 'key'), release }
}

/** The answer to every request. */
const BODY = { frameSessionId: 'frame', token: 'token', betId: 'a-bet', status: 'declined' }

test.each([
  [1, 200, ['the rate of 200 bets a second cannot be reached: 64 a second in the last 1 s']],
  [0.5, 200, ['the rate of 200 bets a second cannot be reached: 128 a second in the last 0.5 s']],
  [1, 20, []],
])('the sandbox reports after %d s at %d bets a second if it misses the rate', async (duration, rate, expected) => {
  const { client: platform, release } = await startHoldingServer(rate * duration)
  const notes: string[] = []
  const note = (text: string) => {
    notes.push(text)
    release()
  }
  const activityLog = { note, match() {} } as unknown as ActivityLog
  const watch = createBetWatch({ platform, changes: async () => [], onSteps: undefined })
  const operator = {
    partnerId: 'partner',
    wallet: platform,
    enter: async (session: SessionEntry) => session,
  } as SandboxOperator
  const { signal } = new AbortController()
  await simulateBettors({ operators: [operator], platform, watch, activityLog }, { seed: 1, rate, duration, signal })
  expect(notes.map((note) => note.split(', because')[0])).toEqual(expected)
})
