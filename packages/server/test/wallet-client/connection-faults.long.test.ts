/**
 * A wrong certificate authority (CA) in connection settings stops the calls with a recorded reason
 * (O-20). The right CA lets them through. openssl makes the certificates.
 */
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Certificates, makeCertificates } from '../support/certificates.ts'
import { startConsumer } from '../support/consumer.ts'
import { startGateway } from '../support/gateway.ts'
import { newToken, startPlatform } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'
import { startWallet } from '../support/wallet.ts'
import { placeMessage, rollbackMessage } from '../support/wire.ts'

const ADVICE = 'no authority that is known here has signed its certificate: give the right one as connection.ca'
const LONG = { timeout: 20_000 }
let theirs: Certificates
let right: { ca: string }
let wrong: { ca: string }
let inner: ScriptedWallet
const servers: Server[] = []

/** An address with TLS for a server without it. */
async function tlsBefore(url: string): Promise<string> {
  const { certificate, key } = theirs.sign('localhost')
  const options = { cert: readFileSync(certificate), key: readFileSync(key) }
  const { port, pathname, search } = new URL(url)
  const server = createServer(options, (socket) => {
    const plain = connect(Number(port), '127.0.0.1')
    for (const one of [socket, plain]) one.on('error', () => {})
    socket.pipe(plain).pipe(socket)
  })
  servers.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const path = pathname === '/' ? '' : pathname + search
  return `https://localhost:${(server.address() as AddressInfo).port}${path}`
}

beforeAll(async () => {
  theirs = makeCertificates()
  const others = makeCertificates()
  right = { ca: readFileSync(theirs.authority, 'utf8') }
  wrong = { ca: readFileSync(others.authority, 'utf8') }
  others.remove()
  inner = await startScriptedWallet()
})
afterAll(async () => {
  await inner.stop()
  for (const server of servers) server.close()
  theirs.remove()
})

const PLAIN = 'is plain HTTP, which uses no certificate: use https, or set ca and certificate to null'
const refusedAt = (pointer: string) => ({ status: 400, body: { errors: [{ pointer, detail: PLAIN }] } })

test('a Settle to a partner with an untrusted CA is owed with the reason, and is sent with the right CA', async () => {
  const { api, stop } = await startPlatform()
  const baseUrl = await tlsBefore(inner.url)
  const save = (connection?: object, address = baseUrl) =>
    api.request('POST', '/partners', { partnerId: 'acme', baseUrl: address, secret: inner.secret, connection })
  expect(await save(right, inner.url)).toMatchObject(refusedAt('/baseUrl'))
  await save(right)
  expect(await save(undefined, inner.url), 'the saved CA stays').toMatchObject(refusedAt('/baseUrl'))
  const { betId, status } = await api.place(await api.loadFrame('acme'))
  expect(status).toBe('accepted')
  expect((await save(wrong)).body).toMatchObject({ tried: { error: expect.stringContaining(ADVICE) } })
  await api.settle(betId, 'won', '25.00')
  const settle = async () => (await api.bet(betId)).deliveries.find(({ operation }) => operation === 'settle')
  await expect.poll(async () => (await settle())?.attemptList.length, LONG).toBeGreaterThan(0)
  expect(await settle()).toMatchObject({ status: 'pending', error: expect.stringContaining(ADVICE) })
  expect((await settle())?.attemptList[0]).toMatchObject({
    ...{ httpStatus: null, outcome: 'unknown' },
    error: expect.stringContaining(ADVICE),
  })
  await save(right)
  await expect.poll(async () => (await settle())?.status, LONG).toBe('done')
  expect(inner.of('settle', betId)).toHaveLength(1)
  await stop()
})

test('a Place bet to a partner with an untrusted CA is rolled back after the right CA is set', async () => {
  const { api, stop } = await startPlatform()
  const baseUrl = await tlsBefore(inner.url)
  const save = (connection: object) =>
    api.request('POST', '/partners', { partnerId: 'acme', baseUrl, secret: inner.secret, connection })
  await save(right)
  const frame = await api.loadFrame('acme')
  await save(wrong)
  const { betId, status } = await api.place(frame)
  expect(status).not.toBe('accepted')
  await save(right)
  const rollback = async () => (await api.bet(betId)).deliveries.find(({ operation }) => operation === 'rollback')
  await expect.poll(async () => (await rollback())?.status, LONG).toBe('done')
  expect(inner.of('place', betId)).toHaveLength(0)
  await stop()
})

test('a call to an operator with an untrusted CA fails for the platform, and succeeds with the right CA', async () => {
  const { api, wire, stop } = await startGateway()
  const baseUrl = await tlsBefore(inner.url)
  const save = (connection?: object, address = baseUrl) =>
    api.request('POST', '/operators', { operatorId: 'acme', baseUrl: address, secret: inner.secret, connection })
  expect(await save(right, inner.url)).toMatchObject(refusedAt('/baseUrl'))
  await save(right)
  expect(await save(undefined, inner.url), 'the saved CA stays').toMatchObject(refusedAt('/baseUrl'))
  const { userId, token } = await api.exchange('acme', newToken())
  expect((await save(wrong)).body).toMatchObject({ tried: { error: expect.stringContaining(ADVICE) } })
  const bet = placeMessage({ userId, token })
  const transactionId = String(bet.transactionId)
  expect(await wire.place(bet)).toMatchObject({ status: 400, body: { code: 100 } })
  const rollback = rollbackMessage({ userId, token, transactionId })
  expect(await wire.rollback(rollback)).toMatchObject({ status: 500, body: { code: 100 } })
  const exchanged = await api.request('POST', '/operators/acme/sessions', { token: newToken() })
  expect(exchanged).toMatchObject({ status: 502, body: { detail: expect.stringContaining(ADVICE) } })
  await save(right)
  expect((await wire.rollback(rollback)).status).toBe(200)
  expect(inner.of('place', transactionId)).toHaveLength(0)
  await stop()
})

test('a webhook with an untrusted CA fails with the reason, and receives its events with the right CA', async () => {
  const consumer = await startConsumer()
  const { operator, stop } = await startWallet()
  const url = await tlsBefore(consumer.url)
  const hook = '/operator/webhooks/crm'
  const save = (connection?: object, address = url) => operator.request('PUT', hook, { url: address, connection })
  expect(await save(right, consumer.url)).toMatchObject(refusedAt('/url'))
  expect((await save(wrong)).status).toBe(201)
  expect(await save(undefined, consumer.url), 'the saved CA stays').toMatchObject(refusedAt('/url'))
  await operator.createPlayer()
  const view = async () => (await operator.request('GET', hook)).body
  await expect.poll(view, LONG).toMatchObject({ state: 'failing', lastError: expect.stringContaining(ADVICE) })
  expect((await operator.request('GET', `${hook}/attempts`)).body).toMatchObject({
    data: [{ error: expect.stringContaining(ADVICE) }],
  })
  expect((await save(right)).status).toBe(200)
  await consumer.until(1)
  await expect.poll(view, LONG).toMatchObject({ state: 'ok' })
  await stop()
  await consumer.close()
})
