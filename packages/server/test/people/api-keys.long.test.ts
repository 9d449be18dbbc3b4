/**
 * An API key (W-25) is created, shown once, listed, rotated and revoked in the same way on each
 * server and in every process.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../operator/answers.ts'
import { asServer } from '../support/database.ts'
import { untilFree } from '../support/operator.ts'
import { asking, keyOf } from './audited-calls.ts'
import { answerOf, SERVERS, type ServerWithKey } from './servers.ts'

describe.each(SERVERS)('an API key of a $server', ({ server, schema, setting, prefix, list, start }) => {
  let keyed: ServerWithKey
  /** Another process on the same database. */
  let other: ServerWithKey
  let names = 0
  const keys = `${prefix}/keys`

  beforeAll(async () => {
    keyed = await start()
    other = await start(keyed.databaseUrl)
  })
  afterAll(async () => {
    await other.stop()
    await keyed.stop()
  })

  const aKey = async (role = 'admin') => {
    names += 1
    const name = `key-${names}`
    return { name, key: String((await keyed.asked.must('POST', keys, { name, role })).key) }
  }
  const statusAt = async ({ url }: ServerWithKey, key: string) =>
    (await answerOf(url, { method: 'GET', path: list }, `Bearer ${key}`)).status
  const row = async (name: string) =>
    ((await keyed.asked.must('GET', `${keys}?limit=500`)).data as { name: string }[]).filter((one) => one.name === name)

  test('is shown once, works at once in every process, and is never shown again', async () => {
    const made = await keyed.asked.must('POST', keys, { name: 'desk', role: 'read' })
    const key = String(made.key)
    expect(key).toMatch(/^purser_[\w-]{43}$/)
    expect(made).toEqual({
      ...{ name: 'desk', role: 'read', key },
      ...{ hash: keyOf('', key).hash, madeAt: expect.stringMatching(/Z$/) },
    })
    expect(await statusAt(other, key)).toBe(200)
    expect(await statusAt(keyed, key)).toBe(200)
    const { key: _key, ...shown } = made
    await expect.poll(() => row('desk')).toEqual([{ ...shown, live: true, lastUsedAt: expect.stringMatching(/Z$/) }])
  })

  test('never gets the name of another key, even after that key has ended', async () => {
    const { name } = await aKey()
    const again = () => keyed.asked.send('POST', keys, { name, role: 'read' })
    expectProblem(await again(), 409, 'key_exists')
    await keyed.asked.must('DELETE', `${keys}/${name}`)
    expectProblem(await again(), 409, 'key_exists')
    expectProblem(await keyed.asked.send('POST', `${keys}/${name}/rotate`, {}), 409, 'key_ended')
  })

  test.each(['', 'A', setting, '-a', 'a b', 'ä', 'a'.repeat(65), 'a/b'])('cannot have the name %j', async (name) => {
    expectProblem(await keyed.asked.send('POST', keys, { name, role: 'read' }), 400, 'invalid_request')
  })

  test('gets a contested name once when ten requests want it', async () => {
    const createKey = () => untilFree(() => keyed.asked.send('POST', keys, { name: 'wanted', role: 'read' }))
    const requests = Array.from({ length: 10 }, createKey)
    const statuses = (await Promise.all(requests)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(9).fill(409)])
  })

  test('is rotated to a key of the same name and role, and works until its end', async () => {
    const { name, key } = await aKey('cash')
    const rotated = await keyed.asked.must('POST', `${keys}/${name}/rotate`, { overlapSeconds: 3_600 })
    expect(rotated).toMatchObject({ name, role: 'cash', key: expect.not.stringMatching(key) })
    const left = Date.parse(String(rotated.earlierEndAt)) - Date.now()
    expect(Math.abs(left - 3_600_000)).toBeLessThan(60_000)
    for (const one of [key, String(rotated.key)]) expect(await statusAt(other, one)).toBe(200)
    // A second rotation does not postpone the end.
    await keyed.asked.must('POST', `${keys}/${name}/rotate`, { overlapSeconds: 7_200 })
    expect(await row(name)).toMatchObject([
      { live: true },
      { live: true, endsAt: expect.any(String) },
      { live: true, endsAt: rotated.earlierEndAt },
    ])
    const sql = new pg.Client({ connectionString: keyed.databaseUrl })
    await sql.connect()
    await sql.query(`update ${schema}.api_key set ends_at = now() where name = $1 and number = 1`, [name])
    await sql.end()
    for (const process of [keyed, other]) await expect.poll(() => statusAt(process, key)).toBe(401)
    expect(await statusAt(other, String(rotated.key))).toBe(200)
  })

  test('ends at its time although it is cached, without another read', async () => {
    const { name, key } = await aKey()
    await keyed.asked.must('POST', `${keys}/${name}/rotate`, { overlapSeconds: 1 })
    await expect.poll(() => statusAt(other, key)).toBe(401)
  })

  test('is rotated twice at once, and both new keys work', async () => {
    const { name } = await aKey()
    const rotate = () => untilFree(() => keyed.asked.send('POST', `${keys}/${name}/rotate`, {}))
    const answers = await Promise.all([rotate(), rotate(), rotate()])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    for (const { body } of answers) expect(await statusAt(other, String((body as { key: string }).key))).toBe(200)
    expect(await row(name)).toHaveLength(4)
  })

  test('authenticates in no process after its revocation, with all earlier keys of its name', async () => {
    const { name, key } = await aKey()
    const { key: second } = await keyed.asked.must('POST', `${keys}/${name}/rotate`, {})
    for (const one of [key, String(second)]) expect(await statusAt(other, one)).toBe(200)
    await keyed.asked.must('DELETE', `${keys}/${name}`)
    for (const one of [key, String(second)]) {
      expect(await statusAt(keyed, one)).toBe(401)
      await expect.poll(() => statusAt(other, one)).toBe(401)
    }
    expect(await row(name)).toMatchObject([{ live: false }, { live: false }])
    expect((await keyed.asked.send('DELETE', `${keys}/${name}`)).status).toBe(204)
    expectProblem(await keyed.asked.send('DELETE', `${keys}/nobody`), 404, 'not_found')
    expectProblem(await keyed.asked.send('POST', `${keys}/nobody/rotate`, {}), 404, 'not_found')
  })

  test('appears once in the pages of the list', async () => {
    const all = (await keyed.asked.must('GET', `${keys}?limit=500`)).data as object[]
    const paged: object[] = []
    for (let after = ''; ; ) {
      const page = await keyed.asked.must('GET', `${keys}?limit=3${after}`)
      paged.push(...(page.data as object[]))
      if (page.next === null) break
      after = `&after=${String(page.next)}`
    }
    expect(paged).toEqual(all)
    for (const cursor of [
      ['2031-01-01T00:00:00.000Z', 'a', 'x'],
      ['2031-01-01T00:00:00.000Z', 'a'],
    ]) {
      const after = Buffer.from(JSON.stringify(cursor)).toString('base64url')
      expectProblem(await keyed.asked.send('GET', `${keys}?after=${after}`), 400, 'invalid_request')
    }
  })

  test('is named in the action log, with the hash that the list shows', async () => {
    const { name, key } = await aKey()
    const asked = asking(keyed.url, key, `${prefix}/actions`)
    const { requestId } = await asked.send(
      'POST',
      keys,
      { name: `by-${name}`, role: 'read' },
      { 'x-purser-reason': 'new desk' },
    )
    const { data } = await asked.log()
    const { hash } = keyOf(name, key)
    expect(data.find((action) => action.requestId === requestId)).toMatchObject({
      key: { name, hash },
      reason: 'new desk',
    })
    expect(await row(name)).toMatchObject([{ hash }])
  })

  test('is counted by reason when it is rejected', async () => {
    const counts = async () => {
      const text = await (await fetch(`${keyed.url}/metrics`)).text()
      return ['missing', 'unknown', 'role'].map((reason) =>
        Number(new RegExp(`^purser_auth_failures_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1]),
      )
    }
    const before = await counts()
    const { key } = await aKey('read')
    await answerOf(keyed.url, { method: 'GET', path: list })
    await answerOf(keyed.url, { method: 'GET', path: list }, 'Bearer no-key')
    await answerOf(keyed.url, { method: 'GET', path: keys }, `Bearer ${key}`)
    expect(await counts()).toEqual(before.map((count) => count + 1))
  })

  test('is accepted while wrong keys of the same address are throttled', async () => {
    const { key } = await aKey()
    const many = Array.from({ length: 40 }, () => statusAt(keyed, 'wrong'))
    await Promise.all(many)
    for (const one of [key, keyed.firstKey]) {
      const wrong = statusAt(keyed, 'wrong') // sent first, and answered a second later
      expect(await Promise.race([wrong, statusAt(keyed, one)])).toBe(200)
      expect(await wrong).toBe(401)
    }
  })

  test('is neither accepted nor called wrong while the keys cannot be read', async () => {
    const { key } = await aKey()
    const sql = new pg.Client({ connectionString: keyed.databaseUrl })
    await sql.connect()
    const role = new URL(asServer(server, keyed.databaseUrl)).username
    await sql.query(`revoke select on ${schema}.api_key from ${role}`)
    await expect.poll(() => statusAt(other, key)).toBe(500)
    expect(await statusAt(other, other.firstKey)).toBe(200)
    await sql.query(`grant select on ${schema}.api_key to ${role}`)
    await sql.end()
    await expect.poll(() => statusAt(other, key)).toBe(200)
  })
})
