/**
 * A server rejects text that Postgres or UTF-8 would change, or stores the text without a change of
 * meaning, anywhere in a request. Such text never causes a 500.
 */

import { signBody } from '@purser/protocol/signature'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationsOf, readDocument } from '../openapi/document.ts'
import { startGateway } from '../support/gateway.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'

interface RunningServer {
  readonly url: string
  readonly key: string
  readonly secret?: string
  stop(): Promise<void>
}

const SERVERS = [
  {
    server: 'wallet',
    async start(): Promise<RunningServer> {
      const { url, operatorKey: key, secret, operator, stop } = await startWallet({ env: { PURSER_CONFORMANCE: 'on' } })
      await operator.createPlayer({ userId: '1' })
      return { url, key, secret, stop }
    },
  },
  { server: 'platform', start: (): Promise<RunningServer> => startPlatform() },
  { server: 'gateway', start: (): Promise<RunningServer> => startGateway() },
] as const

/** As in JSON and as in a URL, where the bytes of a lone surrogate are invalid UTF-8. */
const ODD = [
  { name: 'a NUL', inJson: '\u0000', inUrl: '%00' },
  { name: 'a lone surrogate', inJson: '\ud800', inUrl: '%ED%A0%80' },
]

interface OddRequest {
  readonly where: string
  readonly path: string
  readonly body?: unknown
}

/** The same body once for each string and for each member name, with `odd` appended to it. */
function variants(value: unknown, odd: string, pointer = ''): { where: string; body: unknown }[] {
  if (typeof value === 'string') return [{ where: pointer, body: value + odd }]
  if (typeof value !== 'object' || value === null) return []
  const members = Object.entries(value)
  const inside = members.flatMap(([name, member]) =>
    variants(member, odd, `${pointer}/${name}`).map(({ where, body }) => ({ where, body: put(value, name, body) })),
  )
  return [...inside, ...(Array.isArray(value) ? [] : [{ where: `${pointer}/+`, body: { ...value, [`x${odd}`]: 1 } }])]
}

function put(value: object, name: string, member: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === name ? member : item))
  return { ...value, [name]: member }
}

describe.each(SERVERS)('the $server never fails with texts that no database can store:', ({ server, start }) => {
  let started: RunningServer
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => started.stop())

  const ask = async (method: string, { path, body }: OddRequest, isSigned: boolean) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const shown = isSigned
      ? { 'x-sign-jws': signBody(Buffer.from(text), started.secret ?? '') }
      : { authorization: `Bearer ${started.key}` }
    const headers = { ...shown, ...(text !== '' && { 'content-type': 'application/json' }) }
    const reply = await fetch(started.url + path, { method, headers, ...(text !== '' && { body: text }) })
    await reply.body?.cancel()
    return reply.status
  }

  test.each(operationsOf(readDocument(server)))('$name', async ({ name, path, parameters = [], requestBody, tags }) => {
    const isSigned = tags.includes('Partner wire')
    const media = Object.values(requestBody?.content ?? {})[0]
    const [example] = Object.values(media?.examples ?? {})
    const plain = path.replaceAll(/\{\w+\}/g, '1')
    const query = parameters.filter((parameter) => parameter.in === 'query')
    const asked = ODD.flatMap(({ name: odd, inJson, inUrl }): OddRequest[] => [
      ...variants(example?.value, inJson).map(({ where, body }) => ({ where: `${where}, ${odd}`, path: plain, body })),
      ...[...path.matchAll(/\{\w+\}/g)].map(([part]) => ({
        where: `${part}, ${odd}`,
        path: path.replace(part, `1${inUrl}`).replaceAll(/\{\w+\}/g, '1'),
        body: example?.value,
      })),
      ...query.map((one) => ({ where: `?${one.name}, ${odd}`, path: `${plain}?${one.name}=1${inUrl}` })),
    ])
    const statuses = await Promise.all(
      asked.map(async (one) => ({ where: one.where, status: await ask(name.split(' ')[0] ?? '', one, isSigned) })),
    )
    const isKept = (where: string) => isSigned || where.startsWith('/customFields')
    const isRight = (where: string, status: number) => status < 500 && (status >= 400 || isKept(where))
    expect(statuses.filter(({ where, status }) => !isRight(where, status))).toEqual([])
  })
})
