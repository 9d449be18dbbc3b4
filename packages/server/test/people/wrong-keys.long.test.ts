/**
 * No route of our APIs accepts an invalid API key, and no server stores any part of such a key
 * (W-25).
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf, routesOf, SERVERS, type ServerWithKey } from './servers.ts'

const others: ServerWithKey[] = []
beforeAll(async () => {
  for (const { start } of SERVERS) others.push(await start())
})
afterAll(async () => {
  for (const server of others) await server.stop()
})

describe.each(SERVERS)('a $server', ({ server, schema, prefix, list, start }) => {
  const routes = routesOf(server)
  let keyed: ServerWithKey
  let good: string
  const make = async (name: string) =>
    String((await keyed.asked.must('POST', `${prefix}/keys`, { name, role: 'admin' })).key)

  beforeAll(async () => {
    keyed = await start()
    good = await make('good')
  })
  afterAll(() => keyed.stop())

  test('opens no route to a wrong key', async () => {
    const revoked = await make('revoked')
    await keyed.asked.send('DELETE', `${prefix}/keys/revoked`)
    const ended = await make('ended')
    await keyed.asked.must('POST', `${prefix}/keys/ended/rotate`, { overlapSeconds: 0 })
    const foreign = others.filter(({ url }) => url !== keyed.url).map(({ firstKey }) => firstKey)
    const made = await Promise.all(
      others.map(async ({ asked }, i) => {
        const path = `${SERVERS[i]?.prefix}/keys`
        return String((await asked.must('POST', path, { name: `for-${server}`, role: 'admin' })).key)
      }),
    )
    const flipped = [...good].map((letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    const wrong = [
      ...[undefined, '', 'Bearer', 'Bearer ', good, `Basic ${good}`, `Bearer${good}`],
      ...[...foreign, ...made, revoked, ended, keyed.firstKey.slice(0, -1), good.slice(0, -1), good.slice(0, 20)].map(
        (key) => `Bearer ${key}`,
      ),
      ...[flipped.join(''), good.toLowerCase(), good.toUpperCase(), `${good}=`, `"${good}"`, good.slice(7)].map(
        (key) => `Bearer ${key}`,
      ),
      ...['purser_', `purser_${'A'.repeat(43)}`, `${good},${keyed.firstKey}`, '%', "' or 1=1 --"].map(
        (key) => `Bearer ${key}`,
      ),
    ]
    const calls = wrong.flatMap((authorization) => routes.map((route) => ({ authorization, route })))
    const answers = await Promise.all(
      calls.map(({ authorization, route }) => answerOf(keyed.url, route, authorization)),
    )
    const open = calls.filter((_call, i) => answers[i]?.status !== 401 || answers[i]?.problem?.code !== 'unauthorized')
    expect(open).toEqual([])
    expect(await answerOf(keyed.url, { method: 'GET', path: list }, `Bearer ${good}`)).toMatchObject({ status: 200 })
    expect(await answerOf(keyed.url, { method: 'GET', path: `${prefix}/no-such-path` })).toMatchObject({ status: 401 })
  })

  test('stores no part of a wrong key', async () => {
    const client = new pg.Client({ connectionString: keyed.databaseUrl })
    await client.connect()
    const { rows } = await client.query(
      `select t::text from ${schema}.api_key t union all select t::text from ${schema}.action t`,
    )
    await client.end()
    const text = rows.map(({ t }) => t).join('\n')
    for (const key of [good, keyed.firstKey]) expect(text).not.toContain(key.slice(-16))
  })
})
