/**
 * The sandbox forwards a request to the platform with the path of the matched route, whichever
 * spelling the request has.
 */

import { createLogger } from '@purser/runtime/logger'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import type { Authenticator } from '../../src/core/http/api/authentication.ts'
import { CALLER } from '../../src/core/http/api/principal.ts'
import { createHttpApp } from '../../src/core/http/http-app.ts'
import { createBearerClient } from '../../src/sandbox/bearer-client.ts'
import { addSandboxApi } from '../../src/sandbox/frame/sandbox-api.ts'

const ADMIN = { keyName: 'boss', keyHash: '', role: 'admin' } as const
const admission: Authenticator = {
  authenticate: async (request) => request.setDecorator(CALLER, ADMIN),
  isStillAllowed: async () => true,
  reject: async () => {},
  waitForNextAttempt: async () => 0,
  text: () => '',
}

test('another spelling of a path reaches the same path on the platform', async ({ onTestFinished }) => {
  const asked: string[] = []
  const platform = Fastify()
  platform.all('/*', async ({ method, url }) => {
    asked.push(`${method} ${url}`)
    return {}
  })
  const api = createBearerClient(await platform.listen({ host: '127.0.0.1', port: 0 }), 'a-key')
  const { app } = createHttpApp()
  addSandboxApi(app, {
    ...{ admission, log: createLogger('silent') },
    parts: () => ({ wallet: api, platform: api, frame: undefined }),
  })
  onTestFinished(async () => {
    await Promise.all([app.close(), platform.close()])
  })
  for (const [method, url] of [
    ['GET', '/sandbox/pl%61tform/bets?limit=1&after=a%2Fb'],
    ['GET', '/%73andbox/platform/show/abc'],
    ['POST', '/sandbox/platform/%64eliveries/7/retry'],
  ] as const)
    expect((await app.inject({ method, url })).statusCode, url).toBe(200)
  expect(asked).toEqual(['GET /bets?limit=1&after=a%2Fb', 'GET /show/abc', 'POST /deliveries/7/retry'])
})
