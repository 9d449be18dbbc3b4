/**
 * Sends calls to our own APIs in the name of a user, and reads the audit entries that these calls
 * write.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { expect } from 'vitest'
import { operationsOf, readDocument } from '../openapi/document.ts'
import { type Json, type JsonObject, readReply } from '../support/wire.ts'

export interface AuditedReply {
  readonly status: number
  readonly body: Json
  readonly requestId: string
}

export interface Asking {
  send(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<AuditedReply>
  /** The body of the answer; throws unless the call succeeds. */
  must(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<JsonObject>
  log(query?: string): Promise<{ data: JsonObject[]; next: string | null }>
}

export const asMaria = { 'x-purser-person': 'maria', 'x-purser-reason': 'asked for' }

/** `own` has the headers of a console session, which replace the key. */
export function asking(url: string, key: string, actions: string, own?: Record<string, string>): Asking {
  const send: Asking['send'] = async (method, path, body, headers) => {
    const json = body && { 'content-type': 'application/json' }
    const reply = await fetch(url + path, {
      method,
      headers: { ...(own ?? { authorization: `Bearer ${key}` }), ...json, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const requestId = reply.headers.get('x-request-id') ?? ''
    return { ...readReply(reply.status, await reply.text()), requestId }
  }
  const must: Asking['must'] = async (...call) => {
    const { status, body } = await send(...call)
    if (status >= 300) throw new Error(`${call[0]} ${call[1]} was answered ${status} ${JSON.stringify(body)}`)
    return body as JsonObject
  }
  const log = async (query = '') =>
    (await must('GET', actions + query)) as unknown as Awaited<ReturnType<Asking['log']>>
  return { send, must, log }
}

export function changesOf(server: 'wallet' | 'platform' | 'gateway'): string[] {
  const changing = operationsOf(readDocument(server)).filter(
    ({ name, tags }) => !name.startsWith('GET ') && !tags.includes('Partner wire'),
  )
  return changing.map(({ operationId }) => operationId).sort()
}

/** The key as the log names it. */
export function keyOf(setting: string, key: string) {
  return { name: setting, hash: createHash('sha256').update(key).digest('hex').slice(0, 8) }
}

/** One call, and the `on`, `before` and `after` of its audit entry. */
export interface AuditedCall {
  readonly call: readonly [method: string, path: string, body?: object]
  readonly on: JsonObject
  readonly before: object
  readonly after: object
}

/** Makes the call as maria, and expects exactly one new entry, with everything in `expected`. */
export async function expectAction(
  asked: Asking,
  key: object,
  operation: string,
  expected: AuditedCall,
): Promise<void> {
  const [method, path, body] = expected.call
  const { status, requestId } = await asked.send(method, path, body, asMaria)
  expect(status).toBeLessThan(300)
  const { data } = await asked.log('?limit=500')
  expect(data.filter((action) => action.requestId === requestId)).toEqual([
    {
      ...{ at: expect.stringMatching(/Z$/), operation, on: expected.on, key, person: 'maria', reason: 'asked for' },
      ...{ before: expected.before, after: expected.after, requestId },
    },
  ])
}

/** All stored rows of a table as text, without the columns that must contain secrets. */
export async function storedText(databaseUrl: string, table: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(`select t::text from ${table} t`)
  await client.end()
  return rows.map(({ t }) => t).join('\n')
}

/** The entries of the three calls that change keys, equal at every server. */
export function keyCases(asked: () => Asking, prefix: string): Record<string, () => Promise<AuditedCall>> {
  const keys = `${prefix}/keys`
  const hash = expect.stringMatching(/^[0-9a-f]{8}$/)
  let made = 0
  const aKey = async () => {
    made += 1
    const name = `desk-${made}`
    await asked().must('POST', keys, { name, role: 'support' })
    return { name, path: `${keys}/${name}` }
  }
  return {
    makeKey: async () => {
      const call = ['POST', keys, { name: 'new-desk', role: 'cash' }] as const
      return { call, on: { key: 'new-desk' }, before: {}, after: { role: 'cash', hash } }
    },
    rotateKey: async () => {
      const { name, path } = await aKey()
      const after = { role: 'support', hash, earlierEndAt: expect.stringMatching(/Z$/) }
      return { call: ['POST', `${path}/rotate`, { overlapSeconds: 60 }], on: { key: name }, before: {}, after }
    },
    revokeKey: async () => {
      const { name, path } = await aKey()
      return { call: ['DELETE', path], on: { key: name }, before: {}, after: { revoked: true } }
    },
  }
}
