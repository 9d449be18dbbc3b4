/** A rate that cannot be kept is said of the last seconds too, when ten of them are not full. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createApi } from '../../src/sandbox/api.ts'
import { play } from '../../src/sandbox/play.ts'
import type { Entry, House } from '../../src/sandbox/stage.ts'
import type { Story } from '../../src/sandbox/story.ts'
import { createWatch } from '../../src/sandbox/watch.ts'

/** Milliseconds after the play in which bets begin. */
const PATIENCE_MS = 1_000

let server: Server
afterEach(() => server.close())

/** Wallet and platform in one, which for so long leaves every bet unanswered, and then declines them all. */
async function serversThat(holdMs: number) {
  let [placing, isHeld]: [ServerResponse[], boolean] = [[], true]
  const answer = (response: ServerResponse) =>
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify(BODY))
  server = createServer(({ url }, response) => {
    if (url === '/bets' && isHeld) placing.push(response)
    else answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  setTimeout(() => {
    isHeld = false
    placing.forEach(answer)
    placing = []
  }, holdMs)
  const { port } = server.address() as { port: number }
  return createApi(`http://127.0.0.1:${port}`, 'key')
}

/** To whatever is asked. */
const BODY = { frameSessionId: 'frame', token: 'token', betId: 'a-bet', status: 'declined' }

test.each([
  [1, 200, ['the rate of 200 bets a second cannot be kept: 64 a second in the last 1 s']],
  [0.5, 200, ['the rate of 200 bets a second cannot be kept: 128 a second in the last 0.5 s']],
  [1, 20, []],
])('after %d s at %d a second', async (duration, rate, expected) => {
  const platform = await serversThat(1_000 * duration + PATIENCE_MS)
  const notes: string[] = []
  const story = { note: (text: string) => void notes.push(text), match() {} } as unknown as Story
  const watch = createWatch({ platform, changes: async () => [], tell: undefined })
  const house = { partnerId: 'partner', wallet: platform, enter: async (session: Entry) => session } as House
  const { signal } = new AbortController()
  await play({ houses: [house], platform, watch, story }, { seed: 1, rate, duration, signal })
  expect(notes.map((note) => note.split(', because')[0])).toEqual(expected)
})
