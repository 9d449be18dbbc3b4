/**
 * The sandbox restarts on a database that already has its bettors, even if staff has blocked some
 * of the bettors (O-3).
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ActivityLog } from '../../src/sandbox/activity-log.ts'
import { createBearerClient } from '../../src/sandbox/bearer-client.ts'
import { createBetWatch } from '../../src/sandbox/bettors/bet-watch.ts'
import { BETTORS } from '../../src/sandbox/bettors/bettor-behaviour.ts'
import { simulateBettors } from '../../src/sandbox/bettors/bettor-simulation.ts'
import type { SandboxOperator, SessionEntry } from '../../src/sandbox/sandbox-servers.ts'

const OPTIONS = { seed: 1, rate: 10, duration: 0.1, signal: new AbortController().signal }

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Wallet and platform in one, which refuse requests to paths that end like this. */
async function startServer(refused: RegExp, status: number) {
  const asked: string[] = []
  server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const body = { frameSessionId: 'frame', token: 'token', betId: 'a-bet', status: 'declined' }
    response.writeHead(refused.test(url) ? status : 200).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { asked, client: createBearerClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key') }
}

async function simulate(refused: RegExp, status: number): Promise<string[]> {
  const { asked, client: platform } = await startServer(refused, status)
  const activityLog = { note() {}, match() {} } as unknown as ActivityLog
  const watch = createBetWatch({ platform, changes: async () => [], onSteps: undefined })
  const operator = {
    partnerId: 'partner',
    wallet: platform,
    enter: async (session: SessionEntry) => session,
  } as SandboxOperator
  await simulateBettors({ operators: [operator], platform, watch, activityLog }, OPTIONS)
  return asked
}

test.each([
  ['exist already', /\/players$/],
  ['get no deposit because they are blocked', /\/deposits$/],
])('the sandbox continues with bettors that %s', async (_what, refused) => {
  const asked = await simulate(refused, 409)
  expect(asked.filter((path) => refused.test(path))).toHaveLength(BETTORS.length)
  expect(asked.filter((path) => path === '/bets')).toHaveLength(1)
})

test('the sandbox ends with the error of a wallet that cannot make its bettors', async () => {
  await expect(simulate(/\/players$/, 500)).rejects.toThrow('POST /operator/players answered 500')
})
