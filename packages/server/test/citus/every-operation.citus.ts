/**
 * Every operation of the operator API works on Citus. The test repeats the calls of the API
 * reference, since these cover each reply (packages/server/test/openapi.test.ts). It runs each
 * query with every parameter and every pair of parameters, because many combinations build an SQL
 * statement of their own.
 */
import { expect, test } from 'vitest'
import { type Operation, operationsOf, readDocument } from '../openapi/document.ts'
import { CITUS_BUCKETS, createDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet } from '../support/wallet.ts'

const DOCUMENT = readDocument('wallet')
const MAKER = '../../scripts/openapi/wallet.mjs'
const BET = 'shared-bet'
const EVENT = 4711

test('a wallet on Citus generates the same API reference', async (context) => {
  const { url, drop } = await createDatabase()
  context.onTestFinished(drop)
  const { makeWalletOpenApiOn } = await import(/* @vite-ignore */ MAKER)
  const made = JSON.parse(await makeWalletOpenApiOn({ DATABASE_URL: url, PURSER_BUCKETS: `${CITUS_BUCKETS}` }))
  const [here, there] = [made, DOCUMENT].map((one) => operationsOf(one))
  for (const operation of there ?? [])
    expect(
      here?.find(({ name }) => name === operation.name),
      operation.name,
    ).toEqual(operation)
  expect(made).toEqual(DOCUMENT)
})

const isQuestion = ({ name, responses }: Operation) =>
  name.startsWith('GET ') && Object.keys(responses[200]?.content ?? {})[0] !== 'text/event-stream'

/** Values for parameters whose schema lists none. */
const VALUES: Readonly<Record<string, string>> = {
  ...{
    q: 'player',
    brand: 'north',
    platform: 'acme',
    site: 'shop',
    by: 'brand',
    currency: 'EUR',
    limit: '1',
    wait: '1',
  },
  ...{ transactionId: BET, eventId: `${EVENT}`, outcomeId: '2', requestId: 'none', slowerThan: '0', after: 'latest' },
  ...{ id: BET, runId: '00000000-0000-4000-8000-000000000000', webhookId: 'crm' },
}

type Parameter = NonNullable<Operation['parameters']>[number]

/** Valid values of a parameter; undefined when the test knows none. */
function valuesOf({ name, schema }: Parameter, player: string): readonly string[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum
  if (schema.format === 'date' || schema.format === 'date-time') {
    const time = new Date(Date.now() - (name === 'from' ? 3_600_000 : 0)).toISOString()
    return [schema.format === 'date' ? time.slice(0, 10) : time]
  }
  const value = name === 'userId' || name === 'player' ? player : VALUES[name]
  return value === undefined ? undefined : [value]
}

/**
 * Queries with each value and each pair of parameters. The value of `after` comes from a reply, so
 * it is left out.
 */
function questionsOf({ path, parameters = [] }: Operation, player: string): string[] {
  const known = parameters.map((one) => ({ ...one, values: valuesOf(one, player) ?? [] }))
  const fill = (text: string) =>
    known.reduce(
      (filled, { name, values: [value = ''] }) => filled.replace(`{${name}}`, encodeURIComponent(value)),
      text,
    )
  const inQuery = known.filter((one) => one.in === 'query' && one.name !== 'after')
  const said = (name: string, value = '') => `${name}=${encodeURIComponent(value)}`
  const always = inQuery.filter(({ required }) => required).map(({ name, values: [value] }) => said(name, value))
  const alone = inQuery.flatMap(({ name, values }) => values.map((value) => [said(name, value)]))
  const pairs = inQuery.flatMap((one, i) =>
    inQuery.slice(i + 1).map((other) => [said(one.name, one.values[0]), said(other.name, other.values[0])]),
  )
  const all = [[], ...alone, ...pairs].map((asked) => [...new Set([...always, ...asked])].join('&'))
  return [...new Set(all)].map((query) => `${fill(path)}?${query}`)
}

test('a wallet on Citus answers every query with each of its parameters', async (context) => {
  const wallet = await startWallet()
  context.onTestFinished(() => wallet.stop())
  const players = [await playerWithMoney(wallet.operator), await playerWithMoney(wallet.operator)]
  for (const player of players)
    for (const amount of [25, 5]) {
      const bet = { ...player, transactionId: BET, amount: 10 }
      await wallet.wire.place(bet)
      await wallet.wire.settle({ ...bet, amount })
    }
  const [{ userId } = { userId: '' }] = players
  const questions = operationsOf(DOCUMENT).filter(isQuestion)
  expect(
    questions.flatMap(({ parameters = [] }) => parameters.filter((one) => valuesOf(one, userId) === undefined)),
    'what it may be is not known',
  ).toEqual([])
  const failed: string[] = []
  let answered = 0
  for (const question of questions.flatMap((one) => questionsOf(one, userId))) {
    const { status, body } = await wallet.operator.request('GET', question)
    if (status >= 500) failed.push(`${status} ${question}`)
    answered += status === 200 ? 1 : 0
    const next = (body as { next?: string | null }).next
    if (typeof next !== 'string') continue
    const second = await wallet.operator.request('GET', `${question}&after=${encodeURIComponent(next)}`)
    if (second.status !== 200) failed.push(`${second.status} ${question}&after=`)
  }
  expect(failed).toEqual([])
  expect(answered).toBeGreaterThan(200)
  await wallet.auditIsClean()
})
