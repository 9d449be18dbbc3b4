/**
 * A key of each role may use exactly the routes of that role, on all our APIs (W-25).
 * wrong-keys.long.test.ts tests invalid keys.
 */

import { systemClock } from '@purser/runtime/clock'
import { createLogger } from '@purser/runtime/logger'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROCESS_ROLES as COMMANDS, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { ROLES, type Role } from '../../src/core/http/api/principal.ts'
import { createGatewayApp } from '../../src/servers/gateway-server.ts'
import { createPlatformApp } from '../../src/servers/platform-server.ts'
import { createWalletApp } from '../../src/servers/wallet-server.ts'
import { createDatabase } from '../support/database.ts'
import { answerOf, routesOf, SERVERS, type ServerWithKey } from './servers.ts'

/**
 * The additional operations of each role. They are listed here a second time, so that no change of
 * a route's role is missed.
 */
const MAY: Readonly<Record<string, Readonly<Record<Role, readonly string[]>>>> = {
  wallet: {
    read: [
      ...[
        'listPlayers',
        'reportDays',
        'readPlayer',
        'readBalances',
        'readStatement',
        'audit',
        'listBets',
        'readBet',
        'listAnomalies',
      ],
      ...['listActions', 'listAdjustments', 'readHistory', 'readChanges', 'streamChanges', 'showId', 'readNow'],
      ...['readLedger', 'watchChanges', 'listSessions', 'listOpenings', 'reportPlayers', 'listTransfers'],
    ],
    support: [
      'listCalls',
      'openPersonalData',
      'listConformance',
      'readConformance',
      'createPlayer',
      'changePlayer',
      'startSession',
      'endSessions',
      'switchCurrency',
      'lockBet',
      'unlockBet',
    ],
    cash: ['deposit', 'withdrawal', 'adjustment', 'approveAdjustment', 'refuseAdjustment'],
    admin: [
      ...['makeKey', 'listKeys', 'rotateKey', 'revokeKey', 'startConformance'],
      ...[
        'listWebhooks',
        'readWebhook',
        'listWebhookAttempts',
        'saveWebhook',
        'testWebhook',
        'replayWebhook',
        'rotateWebhook',
        'removeWebhook',
      ],
    ],
  },
  platform: {
    read: [
      ...['listPartners', 'listBets', 'getBet', 'listDeliveries', 'listRetries', 'getRetry', 'showId'],
      ...['readChanges', 'streamChanges', 'watchChanges', 'listActions', 'readNow'],
    ],
    support: ['loadFrame', 'placeBet', 'saveEvent', 'retryDeliveries', 'retryDelivery'],
    cash: ['settleBet', 'unsettleBet', 'cancelBet', 'setResults'],
    admin: [
      ...['savePartner', 'changePartner', 'saveLimits', 'acknowledgeDelivery'],
      ...['makeKey', 'listKeys', 'rotateKey', 'revokeKey'],
    ],
  },
  gateway: {
    read: ['listOperators', 'listActions'],
    support: ['exchangeToken', 'listCalls'],
    cash: [],
    admin: ['saveOperator', 'changeOperator', 'makeKey', 'listKeys', 'rotateKey', 'revokeKey'],
  },
}

/** The operations of a key with a right, listed a second time as above. */
const IN_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['startSession', 'endSessions', 'switchCurrency', 'listSessions', 'loadFrame', 'exchangeToken'],
  profiles: ['createPlayer', 'changePlayer', 'readPlayer', 'listPlayers', 'openPersonalData'],
  payments: ['deposit', 'withdrawal', 'readBalances', 'readStatement'],
  adjust: ['adjustment', 'approveAdjustment', 'refuseAdjustment', 'listAdjustments', 'readBalances'],
}

/** Admitted, with any result. */
const IN = { status: expect.toSatisfy((status: number) => ![401, 403].includes(status)) }

describe.each(SERVERS)('the access control of a $server', ({ server, prefix, start }) => {
  const routes = routesOf(server)
  const may = MAY[server] as Record<Role, readonly string[]>
  let keyed: ServerWithKey
  const keys = new Map<Role, string>()
  const make = async (name: string, role: Role) =>
    String((await keyed.asked.must('POST', `${prefix}/keys`, { name, role })).key)

  beforeAll(async () => {
    keyed = await start()
    for (const role of ROLES) keys.set(role, await make(`the-${role}`, role))
  })
  afterAll(() => keyed.stop())

  test('covers every route', () => {
    expect(Object.values(may).flat().sort()).toEqual(routes.map(({ operationId }) => operationId).sort())
  })

  test.each(ROLES)('allows a key of the role %s its operations and no others', async (role) => {
    const allowed = ROLES.slice(0, ROLES.indexOf(role) + 1).flatMap((one) => may[one])
    // Calls that end keys come last, because the other calls use the same keys.
    for (const route of routes) {
      const { operationId } = route
      const answer = await answerOf(keyed.url, route, `Bearer ${keys.get(role)}`)
      const least = ROLES.find((one) => may[one].includes(operationId))
      if (allowed.includes(operationId)) expect(answer, operationId).toMatchObject(IN)
      else
        expect(answer, operationId).toMatchObject({
          status: 403,
          problem: {
            code: 'forbidden',
            detail: `this request needs the role ${least}, but the-${role} has the role ${role}: use a key with more rights`,
          },
        })
    }
  })

  test.each(Object.keys(IN_RIGHTS))('allows a key of the right %s its operations and no others', async (right) => {
    const made = { name: `only-${right}`, role: 'admin', rights: [right] }
    const { key } = await keyed.asked.must('POST', `${prefix}/keys`, made)
    for (const route of routes) {
      const answer = await answerOf(keyed.url, route, `Bearer ${key}`)
      if (IN_RIGHTS[right]?.includes(route.operationId)) expect(answer, route.operationId).toMatchObject(IN)
      else expect(answer, route.operationId).toMatchObject({ status: 403, problem: { code: 'forbidden' } })
    }
    const lesser = { name: `reads-${right}`, role: 'read', rights: [right] }
    const reader = await keyed.asked.must('POST', `${prefix}/keys`, lesser)
    for (const route of routes)
      if (!may.read.includes(route.operationId))
        expect((await answerOf(keyed.url, route, `Bearer ${reader.key}`)).status, route.operationId).toBe(403)
  })

  test('keeps rights and lifetime when a key is rotated, and accepts no time in the past', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const wanted = { name: 'site-login', role: 'support', rights: ['sessions'] }
    const made = await keyed.asked.must('POST', `${prefix}/keys`, { ...wanted, expiresAt })
    expect(made).toMatchObject({ rights: ['sessions'], expiresAt })
    const rotated = await keyed.asked.must('POST', `${prefix}/keys/site-login/rotate`)
    expect(rotated).toMatchObject({ rights: ['sessions'], expiresAt: expect.any(String) })
    const { data } = await keyed.asked.must('GET', `${prefix}/keys?limit=1`)
    expect(data).toMatchObject([{ rights: ['sessions'], endsAt: rotated.expiresAt, live: true }])
    const over = await keyed.asked.send('POST', `${prefix}/keys`, {
      ...{ name: 'is-over', role: 'read', expiresAt: '2020-01-01T00:00:00Z' },
    })
    expect(over).toMatchObject({ status: 400, body: { errors: [{ pointer: '/expiresAt' }] } })
    const leap = await keyed.asked.send('POST', `${prefix}/keys`, {
      ...{ name: 'leaps', role: 'read', expiresAt: '2030-12-31T23:59:60Z' },
    })
    expect(leap).toMatchObject({ status: 400, body: { errors: [{ pointer: '/expiresAt' }] } })
  })

  test('requires the same key for HEAD as for GET', async () => {
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      expect(await answerOf(keyed.url, { method: 'HEAD', path }), path).toMatchObject({ status: 401 })
      expect(await answerOf(keyed.url, { method: 'HEAD', path }, `Bearer ${keys.get('admin')}`), path).toMatchObject(IN)
    }
  })
})

/** Public by design. */
const OPEN = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/docs/redoc.js']
/**
 * The sign-in and the static pages (packages/console/test/session.test.ts), and users of the
 * console, which need a session with a role (packages/console/test/attack.long.test.ts).
 */
const CONSOLE = [
  ...['/console', '/console/*', '/console/assets/no-such-one'],
  ...['/console/api/session', '/console/api/setup', '/console/api/password'],
  ...['/console/api/people', '/console/api/people/no-such-one', '/console/api/people/no-such-one/password'],
]
const WIRE = ['/payment/bet', '/payment/check', '/user/profile', '/user/balance']

test('every route of a server is in its document, on the wire, or public by design', async () => {
  const database = await createDatabase()
  const db = await openDb({ kind: 'postgres', url: database.url })
  const env = {
    PURSER_DATA_DIR: 'memory://',
    PARTNER_SECRET: 's',
    OPERATOR_API_KEY: 'k',
    PLATFORM_API_KEY: 'k',
    GATEWAY_API_KEY: 'k',
  }
  const config = readConfig(env, COMMANDS.sandboxWithGateway)
  const found: string[] = []
  const beforeRoutes = async (
    app: Parameters<NonNullable<Parameters<typeof createWalletApp>[1]['beforeRoutes']>>[0],
  ) => {
    app.addHook('onRoute', ({ method, url, config }) => {
      if (!config?.refusesMethod) found.push(...[method].flat().map((one) => `${one} ${url}`))
    })
  }
  const deps = { db, clock: systemClock, log: createLogger('silent'), beforeRoutes }
  const timers = { at: () => () => {}, elapsed: () => 0 }
  const starts = {
    wallet: () => createWalletApp(config, { ...deps, buckets: 1 }),
    platform: () => createPlatformApp(config, { ...deps, timers, random: Math.random }),
    gateway: () => createGatewayApp(config, deps),
  }
  for (const [server, start] of Object.entries(starts)) {
    found.length = 0
    const app = await start()
    const documented = routesOf(server as 'wallet').map(({ method, path }) => `${method} ${path}`)
    const mine = found
      .map((route) => route.replaceAll(/:\w+/g, 'no-such-one'))
      .filter(
        (route) =>
          !/^(HEAD|OPTIONS) /.test(route) && ![...OPEN, ...CONSOLE, ...WIRE].includes(route.split(' ')[1] as string),
      )
    expect([...new Set(mine)].sort(), server).toEqual(documented.sort())
    await app.close()
  }
  await db.close()
  await database.drop()
})
