/**
 * The console needs a session whose role allows the request. Requests of other origins are refused,
 * and pages load no external files (U-1, U-2).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'

const OURS = { 'x-purser-console': '1' }
let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(() => wallet.stop())

interface Call {
  readonly method?: string
  readonly cookie?: string
  readonly headers?: Record<string, string>
  readonly body?: object
}

function call(path: string, { method = 'GET', cookie, headers = OURS, body }: Call = {}): Promise<Response> {
  const sent = { ...headers, ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) }
  return fetch(wallet.url + path, {
    method,
    headers: sent,
    redirect: 'manual',
    ...(body && { body: JSON.stringify(body) }),
  })
}

async function signIn(key = wallet.operatorKey, cookie?: string): Promise<string> {
  const answer = await call('/console/api/session', { method: 'POST', body: { key }, ...(cookie && { cookie }) })
  expect(answer.status).toBe(200)
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
}

async function makeKey(name: string, role: string): Promise<string> {
  const headers = { authorization: `Bearer ${wallet.operatorKey}` }
  const made = await call('/operator/keys', { method: 'POST', headers, body: { name, role } })
  return ((await made.json()) as { key: string }).key
}

describe('a console session', () => {
  test('is a cookie that no script can read and no other site sends', async () => {
    const answer = await call('/console/api/session', { method: 'POST', body: { key: wallet.operatorKey } })
    expect(await answer.json()).toEqual({ name: 'OPERATOR_API_KEY', role: 'admin', isPerson: false })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^purser_wallet=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    const overTls = await call('/console/api/session', {
      ...{ method: 'POST', body: { key: wallet.operatorKey } },
      headers: { ...OURS, 'x-forwarded-proto': 'https' },
    })
    expect(overTls.headers.get('set-cookie')).toMatch(/; Secure$/)
  })

  test('grants access to the API only with the header of our own page', async () => {
    const cookie = await signIn()
    expect((await call('/operator/bets', { cookie })).status).toBe(200)
    const foreignHeaders: Record<string, string>[] = [
      {},
      { 'x-purser-console': '0' },
      { ...OURS, origin: 'https://evil.example' },
      { ...OURS, origin: 'null' },
      { ...OURS, 'sec-fetch-site': 'cross-site' },
      { ...OURS, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreignHeaders) {
      expect((await call('/operator/bets', { cookie, headers })).status, JSON.stringify(headers)).toBe(401)
      const forged = { method: 'POST', cookie, headers, body: { userId: 'forged', currency: 'EUR' } }
      expect((await call('/operator/players', forged)).status, JSON.stringify(headers)).toBe(401)
    }
    expect((await call('/operator/players/forged', { cookie })).status).toBe(404)
  })

  test('allows what the role of its key allows', async () => {
    const cookie = await signIn(await makeKey('reader', 'read'))
    expect((await call('/operator/bets', { cookie })).status).toBe(200)
    expect((await call('/operator/calls', { cookie })).status).toBe(403)
    const wanted = { method: 'POST', cookie, body: { userId: 'zoe', currency: 'EUR' } }
    expect((await call('/operator/players', wanted)).status).toBe(403)
  })

  test('ends with its key, and at a sign-out', async () => {
    const cookie = await signIn(await makeKey('leaver', 'admin'))
    const headers = { authorization: `Bearer ${wallet.operatorKey}` }
    await call('/operator/keys/leaver', { method: 'DELETE', headers })
    expect((await call('/operator/bets', { cookie })).status).toBe(401)
    const own = await signIn()
    const left = await call('/console/api/session', { method: 'DELETE', cookie: own })
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await call('/operator/bets', { cookie: own })).status).toBe(401)
  })

  test('has a new id at each sign-in, whatever cookie was sent, so that none is fixed in advance', async () => {
    const planted = `purser_wallet=${'A'.repeat(43)}`
    const first = await signIn(wallet.operatorKey, planted)
    expect(first).not.toBe(planted)
    expect((await call('/operator/bets', { cookie: planted })).status).toBe(401)
    const second = await signIn(wallet.operatorKey, first)
    expect(second).not.toBe(first)
    expect((await call('/operator/bets', { cookie: first })).status, 'the one before has ended').toBe(401)
    expect((await call('/operator/bets', { cookie: `${second}; ${first}` })).status, 'two are none').toBe(401)
  })

  test('does not begin with a wrong key, without the header, or with an empty body', async () => {
    for (const body of [{ key: 'wrong' }, { key: '' }, { key: 7 }, {}]) {
      const answer = await call('/console/api/session', { method: 'POST', body })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    const forged = { method: 'POST', headers: {}, body: { key: wallet.operatorKey } }
    expect((await call('/console/api/session', forged)).status).toBe(403)
    expect(await (await call('/console/api/setup')).json()).toEqual({
      server: 'wallet',
      isSandbox: false,
      mayEnter: false,
    })
  })

  test('does not begin with text that cannot be stored or read as it was sent', async () => {
    for (const odd of ['\0', '\ud800'])
      for (const body of [{ key: odd }, { name: `a${odd}b`, password: 'wrong' }, { name: 'maria', password: odd }])
        expect((await call('/console/api/session', { method: 'POST', body })).status).toBe(400)
    const headers = { ...OURS, 'content-type': 'application/json' }
    const broken = Buffer.from('{"name":"maria","password":"\xff"}', 'latin1')
    const sent = await fetch(`${wallet.url}/console/api/session`, { method: 'POST', headers, body: broken })
    expect(sent.status).toBe(400)
    expect(sent.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('does not exist without the sandbox’s page, and neither does the proxy to the platform', async () => {
    const cookie = await signIn()
    for (const path of ['/sandbox/platform/bets', '/sandbox/frame'])
      expect((await call(path, { cookie })).status).toBe(404)
  })
})

describe('the pages of the console', () => {
  const assets = new URL('../../server/dist/console/assets/', import.meta.url)

  test('forbid the browser everything but our own files, at every address', async () => {
    for (const path of ['/console', '/console/bets/x', '/console/%3Cscript%3E']) {
      const answer = await call(path, { headers: {} })
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(answer.status).toBe(200)
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*|blob:/)
      expect(answer.headers.get('cache-control')).toBe('no-cache')
      expect(answer.headers.get('permissions-policy')).toContain('camera=()')
      const html = await answer.text()
      expect(html).not.toMatch(/<style|<script(?![^>]* src="\/console\/assets\/)|\son\w+=|style=/)
    }
  })

  test('are cached for ever when their name contains their hash, and then never change', async () => {
    const [script = ''] = readdirSync(assets).filter((name) => /^index.*\.js$/.test(name))
    const answer = await call(`/console/assets/${script}`, { headers: {} })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-type')).toContain('javascript')
    for (const name of [
      'nothing.js',
      '..%2findex.html',
      '..%2f..%2fmain.js',
      '%2e%2e%2f%2e%2e%2fpackage.json',
      'index.html',
    ])
      expect((await call(`/console/assets/${name}`, { headers: {} })).status, name).toBe(404)
  })

  test('are small: 120 kB of compressed script at first, 60 kB for each further page', () => {
    const names = readdirSync(assets).filter((name) => name.endsWith('.js'))
    const sizeOf = (name: string) => gzipSync(readFileSync(new URL(name, assets))).length
    const neededBy = (name: string): string[] => {
      const code = readFileSync(new URL(name, assets), 'utf8')
      return names.filter((one) => new RegExp(`(from|import)\\s*["'\`]\\./${one.replaceAll('.', '\\.')}`).test(code))
    }
    const all = (name: string, seen = new Set<string>()): Set<string> => {
      if (!seen.has(name)) for (const one of neededBy(seen.add(name) && name)) all(one, seen)
      return seen
    }
    const [entry = ''] = names.filter((name) => /^index/.test(name))
    const first = all(entry)
    const sum = (some: Iterable<string>) => [...some].reduce((total, name) => total + sizeOf(name), 0)
    expect(first.size, 'the shared parts are counted').toBeGreaterThan(1)
    expect(sum(first)).toBeLessThan(120_000)
    for (const name of names) expect(sum([...all(name)].filter((one) => !first.has(one))), name).toBeLessThan(60_000)
  })
})
