/**
 * `purser webhooks` saves, tests, rotates and removes webhooks. The database stores their secrets
 * encrypted (O-5).
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificates } from '../support/certificates.ts'
import { type Consumer, startConsumer, verifies } from '../support/consumer.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { run } from './command.ts'

describe.each([
  ['with PURSER_ENCRYPTION_KEY', { PURSER_ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) }],
  ['without PURSER_ENCRYPTION_KEY', {}],
])('purser webhooks %s', (_what, env) => {
  let wallet: TestWallet
  let consumer: Consumer

  beforeAll(async () => {
    wallet = await startWallet({ env: { ...env, PURSER_PRIVATE_ADDRESSES: 'allow' } })
    consumer = await startConsumer()
  })
  afterAll(async () => {
    await wallet.stop()
    await consumer.close()
  })

  const webhooks = (...args: string[]) =>
    run(['webhooks', ...args, '--api', wallet.url], { OPERATOR_API_KEY: wallet.operatorKey })
  const asJson = async (...args: string[]) => JSON.parse((await webhooks(...args, '--json')).stdout)

  test('saves, lists, tests, replays, rotates and removes a webhook', async () => {
    expect(await webhooks('list')).toMatchObject({ code: 0, stdout: 'no webhooks\n' })
    const { secret } = await asJson('save', 'crm', consumer.url, '--event', 'bet.placed', 'bet.settled')
    expect((await webhooks('list')).stdout).toMatch(/^crm {15}ok {8}http:\/\/127\.0\.0\.1:\d+\/hook/)
    expect((await webhooks('test', 'crm')).stdout).toMatch(/^delivered {5}true\nhttpStatus {4}200\n$/)
    expect(consumer.messages.map((message) => [message.type, ...verifies(secret, message)])).toEqual([
      ['webhook.test', true],
    ])

    expect((await webhooks('rotate', 'crm', '--overlap', '0')).stdout).toMatch(/^secret {8}whsec_/m)
    await webhooks('test', 'crm')
    expect(verifies(secret, consumer.messages[1] as never)).toEqual([false])
    consumer.answer = () => 503
    const refused = { code: 1, stdout: expect.stringMatching(/^delivered {5}false\nhttpStatus {4}503\nerror .*503\n$/) }
    expect(await webhooks('test', 'crm')).toMatchObject(refused)
    consumer.answer = () => 200
    expect(await asJson('replay', 'crm', '--after', '0')).toMatchObject({ webhookId: 'crm', doneTo: '0' })
    expect((await webhooks('remove', 'crm')).stdout).toBe('done          true\n')
    expect((await webhooks('list')).stdout).toBe('no webhooks\n')
  })

  test('leaves the secret readable in the database only when no encryption key is set', async () => {
    const { secret } = await asJson('save', 'site', consumer.url)
    expect(await readable(secret)).toBe(!('PURSER_ENCRYPTION_KEY' in env))
    await webhooks('remove', 'site')
  })

  test.runIf('PURSER_ENCRYPTION_KEY' in env)('sets headers and certificates by flags, and removes them', async () => {
    const save = (...flags: string[]) => webhooks('save', 'crm', consumer.url, ...flags)
    const headerOf = async () => {
      await webhooks('test', 'crm')
      return consumer.messages.at(-1)?.headers['x-api-key']
    }
    const saved = await save('--header', 'X-Api-Key: key-1')
    expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining('{"headers":["x-api-key"]}') })
    expect(saved.stdout).not.toContain('key-1')
    expect(await headerOf()).toBe('key-1')
    expect((await save('--no-connection')).code).toBe(0)
    expect(await headerOf()).toBeUndefined()

    const certificates = makeCertificates()
    const { certificate, key } = certificates.sign('client-1')
    const files = ['--ca', certificates.authority, '--client-certificate', certificate, '--client-key', key]
    const url = consumer.url.replace('http:', 'https:')
    const { connection } = await asJson('save', 'crm', url, ...files)
    expect(connection).toMatchObject({ ca: [{ subject: 'CN=authority' }], certificate: { subject: 'CN=client-1' } })
    for (const [flags, text] of [
      [files, 'is plain HTTP, which uses no certificate'],
      [['--ca', 'nowhere.pem'], 'nowhere.pem cannot be read'],
      [['--no-connection', '--header', 'a: 1'], '--no-connection cannot be used'],
    ] as [string[], string][]) {
      expect(await webhooks('save', 'other', consumer.url, ...flags), text).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(text),
      })
    }
    certificates.remove()
    await webhooks('remove', 'crm')
  })

  test('ends with 2 and a message on wrong use', async () => {
    expect(await webhooks('replay', 'crm')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--after or --from'),
    })
    expect(await webhooks('test', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no such webhook'),
    })
    const keyless = await run(['webhooks', 'list', '--api', wallet.url])
    expect(keyless).toMatchObject({ code: 2, stderr: expect.stringContaining('OPERATOR_API_KEY') })
  })

  async function readable(text: string): Promise<boolean> {
    const sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    const { rows } = await sql.query('select 1 from purser.webhook w where strpos(w::text, $1) > 0', [text])
    await sql.end()
    return rows.length > 0
  }
})
