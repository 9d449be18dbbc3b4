/**
 * The console withstands attacks: access without a session or role, guessed passwords, sessions of
 * other users, and requests from other origins (U-1 to U-4).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run, startUntil } from '../../server/test/cli/command.ts'
import { createDatabase } from '../../server/test/support/database.ts'
import { startPlatform } from '../../server/test/support/platform.ts'
import { startWallet } from '../../server/test/support/wallet.ts'

const OURS = { 'x-purser-console': '1' }
interface AttackedServer {
  readonly url: string
  readonly key: string
  stop(): Promise<void>
}
interface Call {
  readonly method?: string
  readonly cookie?: string
  readonly headers?: Record<string, string>
  readonly body?: object
}
interface NewAccount {
  readonly name: string
  readonly password: string
}

const SERVERS = [
  [
    'wallet',
    '/operator/bets',
    async (): Promise<AttackedServer> => {
      const { url, operatorKey: key, stop } = await startWallet()
      return { url, key, stop }
    },
  ],
  [
    'platform',
    '/bets',
    async (): Promise<AttackedServer> => {
      const { url, key, stop } = await startPlatform()
      return { url, key, stop }
    },
  ],
] as const

describe.each(SERVERS)('the console of the %s', (server, list, start) => {
  let attacked: AttackedServer
  let admin: string
  beforeAll(async () => {
    attacked = await start()
    admin = await signIn({ key: attacked.key })
  })
  afterAll(() => attacked.stop())

  function call(path: string, { method = 'GET', cookie, headers = OURS, body }: Call = {}): Promise<Response> {
    const sent = { ...headers, ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) }
    return fetch(attacked.url + path, { method, headers: sent, ...(body && { body: JSON.stringify(body) }) })
  }
  const post = (path: string, body: object, cookie?: string) =>
    call(`/console/api${path}`, { method: 'POST', body, ...(cookie && { cookie }) })
  const cookieOf = (answer: Response) => (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
  async function signIn(as: object, cookie?: string): Promise<string> {
    const answer = await post('/session', as, cookie)
    expect(answer.status, await answer.clone().text()).toBe(200)
    return cookieOf(answer)
  }
  async function make(name: string, role: string): Promise<NewAccount> {
    const answer = await post('/people', { name, role }, admin)
    expect(answer.status).toBe(201)
    return withOwnPassword((await answer.json()) as NewAccount)
  }
  /** The first sign-in, with the password that an admin has set. */
  async function withOwnPassword(made: NewAccount): Promise<NewAccount> {
    const cookie = await signIn(made)
    const password = 'of their own choice'
    expect((await post('/password', { password: made.password, next: password }, cookie)).status).toBe(204)
    return { ...made, password }
  }

  test('serves no data and no change without a session', async () => {
    const cookies = [
      undefined,
      `purser_${server}=`,
      `purser_${server}=${'A'.repeat(43)}`,
      `purser_${server}=' or 1=1--`,
    ]
    for (const cookie of cookies) {
      const as = cookie === undefined ? {} : { cookie }
      for (const path of [list, '/console/api/people'])
        expect((await call(path, as)).status, `${cookie} ${path}`).toBe(401)
      expect(
        (await call('/console/api/people', { method: 'POST', ...as, body: { name: 'eve', role: 'admin' } })).status,
      ).toBe(401)
      expect(
        (
          await call('/console/api/password', {
            method: 'POST',
            ...as,
            body: { password: 'x', next: 'a long new one' },
          })
        ).status,
      ).toBe(401)
    }
  })

  test('allows a person exactly what the role allows, under the person’s own name', async () => {
    const anna = await make('anna', 'read')
    const cookie = await signIn(anna)
    expect((await call(list, { cookie })).status).toBe(200)
    expect((await call('/console/api/people', { cookie })).status).toBe(403)
    expect((await post('/people', { name: 'eve', role: 'admin' }, cookie)).status).toBe(403)
    expect((await post('/people/anna/password', {}, cookie)).status).toBe(403)
    expect((await call('/console/api/people/anna', { method: 'DELETE', cookie })).status).toBe(403)
    expect(await (await call('/console/api/session', { cookie })).json()).toEqual({
      name: 'anna',
      role: 'read',
      isPerson: true,
    })
  })

  test('allows no person to act under another name', async () => {
    const boss = await make('boss', 'admin')
    const cookie = await signIn(boss)
    const headers = { ...OURS, 'x-purser-person': 'somebody else' }
    const forged = { method: 'POST', cookie, headers, body: { name: 'eve', role: 'admin' } }
    expect((await call('/console/api/people', forged)).status).toBe(400)
    const asked = server === 'wallet' ? '/operator/keys' : '/keys'
    expect((await call(asked, { ...forged, body: { name: 'eve', role: 'admin' } })).status).toBe(400)
    expect((await call(asked, { ...forged, headers: OURS, body: { name: 'a-key', role: 'read' } })).status).toBe(201)
    const log = await call(server === 'wallet' ? '/operator/actions?limit=1' : '/actions?limit=1', { cookie })
    expect(await log.json()).toMatchObject({ data: [{ person: 'boss', key: { name: 'boss' } }] })
  })

  test('locks a name after five wrong passwords, the right one too, and reveals no names', async () => {
    const carl = await make('carl', 'admin')
    const said = new Set<string>()
    for (const [name, password] of [
      ['nobody-here', 'wrong'],
      ...Array.from({ length: 5 }, (_, i) => ['carl', `wrong ${i}`] as const),
      [carl.name, carl.password],
    ]) {
      const answer = await post('/session', { name, password } as object)
      expect(answer.status, `${name} ${password}`).toBe(401)
      expect(answer.headers.get('set-cookie')).toBeNull()
      said.add(((await answer.json()) as { detail: string }).detail)
    }
    expect([...said]).toHaveLength(1)
    const people = (await (await call('/console/api/people', { cookie: admin })).json()) as {
      data: { name: string; locked: boolean }[]
    }
    expect(people.data.find(({ name }) => name === 'carl')).toMatchObject({ locked: true })
    const reset = (await (await post('/people/carl/password', {}, admin)).json()) as NewAccount
    await signIn(reset)
    expect((await post('/session', carl)).status, 'the old password').toBe(401)
  })

  test('counts concurrent password guesses', async () => {
    const dora = await make('dora', 'read')
    const guesses = await Promise.all(
      Array.from({ length: 7 }, (_, i) => post('/session', { name: 'dora', password: `wrong ${i}` })),
    )
    expect(guesses.map(({ status }) => status)).toEqual(Array(7).fill(401))
    expect((await post('/session', dora)).status).toBe(401)
  })

  test('refuses passwords above its hashing capacity, and asks to try again', async () => {
    const many = await Promise.all(
      Array.from({ length: 24 }, (_, i) => post('/session', { name: `guess-${i}`, password: 'wrong' })),
    )
    const statuses = many.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401, 503]))
    expect((await call(list, { cookie: admin })).status).toBe(200)
  })

  test('ends all sessions of a person whose password changes or whose account ends', async () => {
    const emil = await make('emil', 'support')
    const [one, other] = [await signIn(emil), await signIn(emil)]
    const wrong = await post('/password', { password: 'not it', next: 'a new and long one' }, one)
    expect(wrong.status).toBe(403)
    expect((await post('/password', { password: emil.password, next: 'short' }, one)).status).toBe(400)
    const changed = await post('/password', { password: emil.password, next: 'a new and long one' }, one)
    expect(changed.status).toBe(204)
    for (const cookie of [one, other]) expect((await call(list, { cookie })).status).toBe(401)
    const fresh = cookieOf(changed)
    expect((await call(list, { cookie: fresh })).status).toBe(200)
    expect((await post('/session', emil)).status, 'the old password').toBe(401)
    expect((await call('/console/api/people/emil', { method: 'DELETE', cookie: admin })).status).toBe(204)
    expect((await call(list, { cookie: fresh })).status).toBe(401)
    expect((await post('/session', { name: 'emil', password: 'a new and long one' })).status).toBe(401)
    expect((await post('/people', { name: 'emil', role: 'admin' }, admin)).status, 'a name is given once').toBe(409)
  })

  test('issues no session whose id another person knows', async () => {
    const fred = await make('fred', 'read')
    const planted = `purser_${server}=${'B'.repeat(43)}`
    const given = await signIn(fred, planted)
    expect(given).not.toBe(planted)
    expect((await call(list, { cookie: planted })).status).toBe(401)
    const second = await signIn(fred, given)
    expect((await call(list, { cookie: given })).status, 'the one before has ended').toBe(401)
    expect((await call(list, { cookie: `${second}; ${planted}` })).status, 'two are none').toBe(401)
  })

  test('lets no other origin sign in or change anything', async () => {
    const gina = await make('gina', 'admin')
    const cookie = await signIn(gina)
    const pages: Record<string, string>[] = [
      {},
      { ...OURS, origin: 'https://evil.example' },
      { ...OURS, origin: 'null' },
      { ...OURS, 'sec-fetch-site': 'cross-site' },
      { ...OURS, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of pages)
      for (const [path, body] of [
        ['/session', gina],
        ['/people', { name: 'eve', role: 'admin' }],
        ['/password', { password: gina.password, next: 'of the other page' }],
      ] as const) {
        const answer = await call(`/console/api${path}`, { method: 'POST', cookie, headers, body })
        expect([401, 403], `${path} ${JSON.stringify(headers)}`).toContain(answer.status)
        expect(answer.headers.get('set-cookie')).toBeNull()
      }
    const form = await fetch(`${attacked.url}/console/api/session`, {
      method: 'POST',
      headers: OURS,
      body: new URLSearchParams({ ...gina }),
    })
    expect(form.status).toBe(415)
    const options = await fetch(`${attacked.url}/console/api/session`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(options.headers.get('access-control-allow-origin')).toBeNull()
    await signIn(gina) // the password has not changed
  })

  test('refuses invalid names and bodies without a failure', async () => {
    for (const name of [
      '',
      '../x',
      "x'; drop table purser.console_user; --",
      '<script>',
      'x'.repeat(300),
      '\u0000',
      7,
      null,
      {},
      [],
    ])
      expect((await post('/people', { name, role: 'read' } as object, admin)).status, String(name)).toBe(400)
    for (const role of ['root', '', null, ['admin']])
      expect((await post('/people', { name: 'hugo', role } as object, admin)).status).toBe(400)
    for (const password of ['', 'x'.repeat(257), {}, null])
      expect((await post('/session', { name: 'gina', password } as object)).status).toBe(401)
    expect((await post('/session', { name: 'gina', password: '\u0000' })).status).toBe(400)
    expect((await call('/console/api/people/%2e%2e%2f', { method: 'DELETE', cookie: admin })).status).toBe(400)
  })
})

test('the first start prints one admin and the password once, and the log contains neither', async () => {
  const database = await createDatabase()
  const env = {
    PORT: '0',
    DATABASE_URL: database.url,
    PARTNER_SECRET: 'a-secret-of-the-tests',
    OPERATOR_API_KEY: 'a-key-of-the-tests',
  }
  try {
    const first = await startUntil(/it is not shown again/, ['wallet'], env)
    const said = /sign in at (\S+)\/console as (\S+), password (\S+);/.exec(first.output())
    const [, url = '', name = '', password = ''] = said ?? []
    expect(first.output().split(password)).toHaveLength(2)
    const answer = await fetch(`${url}/console/api/session`, {
      ...{ method: 'POST', headers: { ...OURS, 'content-type': 'application/json' } },
      body: JSON.stringify({ name, password }),
    })
    expect(await answer.json()).toEqual({ name: 'admin', role: 'admin', isPerson: true, mustChange: true })
    expect(await first.kill('SIGTERM')).toBe(0)
    const second = await startUntil(/the wallet listens/, ['wallet'], env)
    await second.kill('SIGTERM')
    expect(second.output()).not.toContain('first start')
    const shown = await run(['keys', 'list', 'wallet'], env)
    expect(shown.stdout + shown.stderr).not.toContain(password)
  } finally {
    await database.drop()
  }
})
