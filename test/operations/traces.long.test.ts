/**
 * Traces follow a bet and its result across processes, from the platform's API to the SQL
 * statements. The traces contain no data of the player.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Span, Tracing } from '@purser/runtime/tracing'
import { startOpenTelemetry } from 'purser/servers/opentelemetry'
import { createCallQueue } from 'purser/wallet/queue/call-queue'
import type { BetCallOutcome } from 'purser/wallet/queue/rules-path'
import type { BetCall } from 'purser/wallet/store/bet'
import { endCallSpan } from 'purser/wallet/wire/call-spans'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../packages/server/test/cli/command.ts'
import { newPlayer } from '../../packages/server/test/gateway/scene.ts'
import { createDatabase, type TestDatabase } from '../../packages/server/test/support/database.ts'
import { startGateway } from '../../packages/server/test/support/gateway.ts'
import { playerWithMoney } from '../../packages/server/test/support/operator.ts'
import { aBet, startPlatform } from '../../packages/server/test/support/platform.ts'
import { type PlatformProcess, spawnPlatform } from '../../packages/server/test/support/platform-process.ts'
import { startScriptedWallet } from '../../packages/server/test/support/scripted-wallet.ts'
import { signal } from '../../packages/server/test/support/signal.ts'
import { spawnWallet, type WalletProcess } from '../../packages/server/test/support/wallet-process.ts'
import { filesIn, read } from '../tidy/source.ts'
import { type Collector, type SeenSpan, startCollector } from './collector.ts'

let collector: Collector
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(() => collector.close())

const newTraceparent = () => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, header: `00-${traceId}-${spanId}-01` }
}

const onLost = (error: unknown) => expect.fail(`spans were lost: ${error}`)

const namesOf = (spans: readonly SeenSpan[]) => spans.map(({ name }) => name).sort()

/** A child lies within its parent, up to a rounding of one microsecond. */
function liesWithin(inner: SeenSpan, outer: SeenSpan): boolean {
  return inner.startsAt >= outer.startsAt - 1_000n && inner.endsAt <= outer.endsAt + 1_000n
}

describe('the traces of a platform and a wallet in two processes', () => {
  let database: TestDatabase
  let wallet: WalletProcess
  let platform: PlatformProcess
  beforeEach(async () => {
    database = await createDatabase()
    wallet = await spawnWallet({ databaseUrl: database.url, env: collector.env })
    platform = await spawnPlatform(database.url, collector.env)
  })
  afterEach(async () => {
    await wallet.auditIsClean()
    await Promise.all([platform.kill('SIGTERM'), wallet.kill('SIGTERM')])
    await database.drop()
  })

  /** The wallet's span below this call, with its batch and the batch's statements. */
  async function walletBelow(attempt: SeenSpan, name: string) {
    const call = await collector.span((span) => span.parentSpanId === attempt.spanId)
    expect(call).toMatchObject({ name, service: 'purser-wallet', traceId: attempt.traceId })
    const batch = await collector.span((span) => span.name === 'batch' && span.parentSpanId === call.spanId)
    expect(namesOf(collector.childrenOf(call))).toEqual(['batch', 'queue'])
    const statements = collector.childrenOf(batch)
    expect(collector.childrenOf(call).every((span) => liesWithin(span, call))).toBe(true)
    expect(statements.every((span) => liesWithin(span, batch))).toBe(true)
    return { call, batch, statements: namesOf(statements) }
  }

  test('follow a bet from the caller of the platform to the statement, and its result in another trace', async () => {
    const player = await playerWithMoney(wallet.operator)
    const partnerId = await platform.api.savePartner(wallet)
    const frameSessionId = await platform.api.loadFrame(partnerId, player.token)
    const caller = newTraceparent()
    const answer = await fetch(`${platform.url}/bets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${platform.key}`,
        'content-type': 'application/json',
        traceparent: caller.header,
      },
      body: JSON.stringify({ frameSessionId, ...aBet(), amount: '1.00' }),
    })
    const { betId } = (await answer.json()) as { betId: string }
    const asked = await collector.span(({ parentSpanId }) => parentSpanId === caller.spanId)
    expect(asked).toMatchObject({ name: 'POST /bets', service: 'purser-platform', traceId: caller.traceId })
    const attempt = await collector.span(({ name }) => name === 'call place')
    expect(attempt).toMatchObject({ parentSpanId: asked.spanId, attributes: { 'purser.bet_id': betId } })
    const placed = await walletBelow(attempt, 'POST /payment/bet')
    expect(placed.call.attributes).toMatchObject({ 'purser.operation': 'place', 'purser.outcome': 'accepted' })
    expect(placed.batch.attributes).toMatchObject({ 'purser.way': 'fast', 'purser.calls': 1 })
    expect(placed.statements).toEqual(['commit', 'fast_path_lock', 'fast_path_place'])

    await platform.api.settle(betId, 'won', '2.50')
    const sent = await collector.span(({ name }) => name === 'call settle')
    expect(sent.parentSpanId).toBe('')
    expect(sent.attributes).toMatchObject({ 'purser.bet_id': betId, 'purser.attempt': 1, 'purser.outcome': 'accepted' })
    const settled = await walletBelow(sent, 'PUT /payment/bet')
    expect(settled.statements).toEqual(['commit', 'fast_path_lock', 'fast_path_settle'])

    for (const hidden of [player.token, player.userId, wallet.secret, platform.key, wallet.operatorKey])
      expect(collector.text()).not.toContain(hidden)
  })

  test('show the statements of the rules path, and mark a call that fails', async () => {
    const { userId } = await playerWithMoney(wallet.operator)
    const caller = newTraceparent()
    const body = {
      requestId: randomUUID(),
      type: 2,
      transactionId: randomUUID(),
      userId,
      amount: 1,
      currency: 'EUR',
      resultType: 'won',
    }
    await wallet.wire.call('PUT', '/payment/bet', body, { headers: { traceparent: caller.header } })
    const call = await collector.span(({ parentSpanId }) => parentSpanId === caller.spanId)
    expect(call.attributes).toMatchObject({ 'purser.outcome': 'invalid_request', 'http.response.status_code': 400 })
    const way = (wanted: string) => (span: SeenSpan) =>
      span.parentSpanId === call.spanId && span.attributes['purser.way'] === wanted
    const batch = await collector.span(way('rules'))
    await collector.span(way('fast'))
    expect(namesOf(collector.childrenOf(batch))).toEqual(expect.arrayContaining(['commit', 'lock_bets']))
  })
})

test('the span of a batch is a child of its first call and linked with the other calls in both directions', async () => {
  const tracing = startOpenTelemetry({ url: `${collector.endpoint}/v1/traces`, serviceName: 'lanes', onLost })
  const { given, give } = signal()
  let batches = 0
  const lanes = createCallQueue({
    ...{ buckets: 1, laneCount: 1, onFailure: () => {}, onWaited: () => {}, onFastPath: () => {} },
    openLane: () => ({
      isFastPathEligible: () => false,
      runFastPath: async () => [],
      async runRulesPath(calls) {
        if (batches++ === 0) await given
        return calls.map(
          (): BetCallOutcome => ({ kind: 'accepted', betId: calls[0]?.call.betId as never, at: new Date() }),
        )
      },
    }),
  })
  const submit = async (name: string) => {
    const span = tracing.begin(name, { kind: 'server' })
    const now = performance.now()
    const { batch } = await lanes.submit({ kind: 'place', player: name, betId: name } as unknown as BetCall, now, span)
    const reply = { status: 200, body: '', outcome: 'accepted' } as const
    endCallSpan(span, { reply, operation: 'place', batch }, { readAt: now } as Parameters<typeof endCallSpan>[2])
  }
  const first = submit('alone')
  await expect.poll(() => batches).toBe(1)
  const others = ['one', 'two', 'three'].map(submit)
  give()
  await Promise.all([first, ...others])
  await tracing.stop()
  const named = (wanted: string) => collector.spans.find(({ name }) => name === wanted) as SeenSpan
  const [one, two, three] = ['one', 'two', 'three'].map(named) as [SeenSpan, SeenSpan, SeenSpan]
  const batch = collector.childrenOf(one).find(({ name }) => name === 'batch') as SeenSpan
  expect(batch.attributes['purser.calls']).toBe(3)
  expect(batch.links).toEqual([two.spanId, three.spanId])
  for (const call of [two, three]) {
    expect(namesOf(collector.childrenOf(call))).toEqual(['in a batch', 'queue'])
    expect(collector.childrenOf(call).find(({ name }) => name === 'in a batch')?.links).toEqual([batch.spanId])
  }
})

test('a gateway continues the trace of the platform, and the operator continues that of the gateway', async () => {
  const gateway = await startGateway({ env: collector.env })
  const wallet = await startScriptedWallet({ secret: 'secret of the operator' })
  await gateway.api.saveOperator('acme', wallet)
  const player = await newPlayer({ gateway, operators: [{ operatorId: 'acme', wallet }], stop: async () => {} })
  const caller = newTraceparent()
  const profile = { token: player.token, requestId: randomUUID() }
  const headers = { traceparent: caller.header, tracestate: 'vendor=one,other=two' }
  await gateway.wire.call('POST', '/user/profile', profile, { headers })
  const call = await collector.span(({ parentSpanId }) => parentSpanId === caller.spanId)
  expect(call).toMatchObject({ name: 'POST /user/profile', service: 'purser-gateway' })
  const attempt = await collector.span(({ parentSpanId }) => parentSpanId === call.spanId)
  expect(attempt).toMatchObject({ name: 'call profile', traceId: caller.traceId })
  expect(wallet.requests.at(-1)?.headers.traceparent).toBe(`00-${caller.traceId}-${attempt.spanId}-01`)
  expect(wallet.requests.at(-1)?.headers.tracestate).toBe('vendor=one,other=two')
  await gateway.stop()
  await wallet.stop()
})

describe('a server without tracing', () => {
  test('sends no trace header to a partner', async () => {
    const platform = await startPlatform()
    const { wallet, partnerId } = await platform.partner()
    await platform.api.place(await platform.api.loadFrame(partnerId))
    expect(wallet.requests.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined])
    await platform.stop()
  })

  test('loads no package of OpenTelemetry, since one file imports them on demand', () => {
    const importing = (what: RegExp) => filesIn('packages/server/src', ['.ts']).filter((path) => what.test(read(path)))
    expect(importing(/from '@opentelemetry\//)).toEqual(['packages/server/src/servers/opentelemetry.ts'])
    expect(importing(/from '.*opentelemetry\.ts'/)).toEqual([])
    expect(importing(/import\('.*opentelemetry\.ts'\)/)).toEqual(['packages/server/src/servers/tracing-startup.ts'])
  })
})

describe('a faulty trace collector', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  test.each(['is not there', 'takes all and answers nothing'])(
    'delays no bet and no shutdown when it %s',
    async (how) => {
      const { env } = collector
      if (how === 'is not there') await collector.close()
      else collector.fallSilent()
      const wallet = await spawnWallet({ databaseUrl: database.url, env })
      const player = await playerWithMoney(wallet.operator)
      const place = () => wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })
      expect((await place()).status).toBe(200)
      await expect.poll(wallet.output, { timeout: 60_000 }).toMatch('traces could not be sent')
      expect((await place()).status).toBe(200)
      await wallet.auditIsClean()
      expect(await wallet.kill('SIGTERM')).toBe(0)
      expect(wallet.output().match(/traces could not be sent/g)).toHaveLength(1)
    },
  )
})

test('a call that the sampler drops sends no spans and is answered', async () => {
  const database = await createDatabase()
  const env = { ...collector.env, OTEL_TRACES_SAMPLER: 'always_off' }
  const wallet = await spawnWallet({ databaseUrl: database.url, env })
  const player = await playerWithMoney(wallet.operator)
  expect((await wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })).status).toBe(200)
  await wallet.auditIsClean()
  expect(await wallet.kill('SIGTERM')).toBe(0) // ends after the spans are flushed
  expect(collector.spans).toEqual([])
  await database.drop()
})

test('spans have the attributes of the environment, and the log line of a call has the ids of its span', async () => {
  const database = await createDatabase()
  const wallet = await spawnWallet({
    databaseUrl: database.url,
    env: {
      LOG_LEVEL: 'info',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=not-this,deployment.environment.name=live',
      OTEL_SERVICE_NAME: 'wallet-eu',
    },
  })
  const player = await playerWithMoney(wallet.operator)
  await wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })
  const call = await collector.span(({ name }) => name === 'POST /payment/bet')
  expect(call.service).toBe('wallet-eu')
  expect(collector.text()).toContain('{"key":"deployment.environment.name","value":{"stringValue":"live"}}')
  const ids = `"trace_id":"${call.traceId}","span_id":"${call.spanId}"`
  await expect.poll(wallet.output, { timeout: 60_000 }).toContain(ids)
  await wallet.auditIsClean()
  await wallet.kill('SIGTERM')
  await database.drop()
})

test('a server reports an invalid address of the collector at its start', async () => {
  const { code, stderr } = await run(['wallet'], { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })
  expect(code).toBe(2)
  expect(stderr).toMatch('OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https://')
})

test.each([
  undefined,
  '',
  'nonsense',
  '00-00000000000000000000000000000000-0000000000000000-01',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
])('a server ignores the trace header %j of a caller and starts a new trace', async (header) => {
  const tracing: Tracing & { stop(): Promise<void> } = startOpenTelemetry({
    ...{ url: 'http://127.0.0.1:9/v1/traces', serviceName: 'none', onLost },
  })
  const span: Span = tracing.begin('a call', {}, { traceparent: header })
  const { traceparent } = span.headers()
  expect(traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/)
  expect(traceparent).not.toContain('0af7651916cd43dd8448eb211c80319c')
})
