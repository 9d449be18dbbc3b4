/**
 * Rejected requests to the console count as requests with wrong keys, and are throttled as in the
 * API (W-26).
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SERVERS, type ServerWithKey } from '../../server/test/people/servers.ts'

const OURS = { 'x-purser-console': '1' }
/**
 * Twice the wrong keys of an address that are answered at once; afterwards an answer takes a
 * second.
 */
const MANY = 40

describe.each(SERVERS.filter(({ server }) => server !== 'gateway'))(
  'the console of a $server',
  ({ server, list, prefix, start }) => {
    let keyed: ServerWithKey
    beforeAll(async () => {
      keyed = await start()
    })
    afterAll(() => keyed.stop())

    const session = (token: string) => ({ ...OURS, cookie: `purser_${server}=${token}` })
    const madeUp = () => session(randomBytes(32).toString('base64url'))
    const ask = (method: string, path: string, headers: Record<string, string>, body?: object) =>
      fetch(keyed.url + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
    async function signedIn(key = keyed.firstKey): Promise<Record<string, string>> {
      const answer = await ask('POST', '/console/api/session', OURS, { key })
      return { ...OURS, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
    }
    async function counted(reason: string): Promise<number> {
      const text = await (await fetch(`${keyed.url}/metrics`)).text()
      return Number(new RegExp(`^purser_auth_failures_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1])
    }
    const WITH_A_COOKIE = [
      ['GET', list, 401],
      ['GET', '/console/api/session', 204],
      ['DELETE', '/console/api/session', 204],
      ['GET', '/console/api/people', 401],
      ['POST', '/console/api/password', 401],
    ] as const

    test.each(WITH_A_COOKIE)('counts an invalid session as a wrong key on %s %s', async (method, path, status) => {
      const before = await counted('unknown')
      expect((await ask(method, path, madeUp())).status).toBe(status)
      expect(await counted('unknown')).toBe(before + 1)
      const none = await counted('missing')
      await ask(method, path, OURS)
      expect(await counted('unknown')).toBe(before + 1)
      expect(await counted('missing')).toBe(status === 401 ? none + 1 : none)
    })

    test('counts a wrong key and a wrong password at the sign-in', async () => {
      const before = await counted('unknown')
      for (const body of [{ key: 'wrong' }, { name: 'nobody', password: 'wrong' }])
        expect((await ask('POST', '/console/api/session', OURS, body)).status).toBe(401)
      expect(await counted('unknown')).toBe(before + 2)
    })

    test('counts a request that only an admin may make', async () => {
      const { key } = await keyed.asked.must('POST', `${prefix}/keys`, { name: 'reader', role: 'read' })
      const reader = await signedIn(String(key))
      const before = await counted('role')
      for (const [method, path] of [
        ['GET', '/console/api/people'],
        ['POST', '/console/api/people'],
        ['POST', '/console/api/people/maria/password'],
        ['DELETE', '/console/api/people/maria'],
      ] as const) {
        const answer = await ask(method, path, reader)
        expect(answer.status).toBe(403)
        expect(await answer.json()).toMatchObject({
          detail: 'this request needs the role admin, but reader has the role read: use a key with more rights',
        })
      }
      expect(await counted('role')).toBe(before + 4)
    })

    test('answers a valid session while invalid ones of the same address are throttled', async () => {
      const mine = await signedIn()
      await Promise.all(Array.from({ length: MANY }, () => ask('GET', list, madeUp())))
      for (const [method, path, status] of WITH_A_COOKIE) {
        const wrong = ask(method, path, madeUp()) // sent first, and answered a second later
        const good = ask('GET', list, mine).then(() => 'the session')
        expect(await Promise.race([wrong.then(() => 'the made-up one'), good]), `${method} ${path}`).toBe('the session')
        expect((await wrong).status).toBe(status)
      }
    })
  },
)
