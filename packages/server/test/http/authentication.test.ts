/**
 * Rejected requests cost little: however many requests an address sends, the log has few lines
 * about them.
 */
import Fastify from 'fastify'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { sendErrorsAsProblems } from '../../src/core/http/api/api.ts'
import { createAuthenticator } from '../../src/core/http/api/authentication.ts'
import { CALLER, type Principal } from '../../src/core/http/api/principal.ts'
import { createSourceResolver } from '../../src/core/partner-wire/source-address.ts'

const READER: Principal = { keyName: 'reader', keyHash: '5f2a9c01', role: 'read' }
const REQUESTS = 100

test.each([
  { what: 'of a lesser role', authorization: 'Bearer reader', reason: 'role', status: 403 },
  { what: 'without a key', authorization: undefined, reason: 'missing', status: 401 },
])('a hundred requests $what produce seven lines in the log, and all are counted', async (one) => {
  const lines: { reason: string; failures: number }[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const keys = { setting: 'OPERATOR_API_KEY', find: async () => READER }
  const admission = createAuthenticator(keys, log)
  const app = Fastify()
  sendErrorsAsProblems(app, log)
  const sourceOf = createSourceResolver()
  app.decorateRequest(CALLER)
  app.decorateRequest('source', {
    getter() {
      return sourceOf(this.raw)
    },
  })
  app.get('/people', { config: { role: 'admin' }, onRequest: admission.authenticate }, async () => 'never')
  const headers = one.authorization === undefined ? {} : { authorization: one.authorization }
  for (let i = 0; i < REQUESTS; i++) {
    const reply = await app.inject({ url: '/people', headers, remoteAddress: '203.0.113.7' })
    expect(reply.statusCode).toBe(one.status)
  }
  expect(lines.map(({ reason, failures }) => [reason, failures])).toEqual(
    [1, 2, 4, 8, 16, 32, 64].map((failures) => [one.reason, failures]),
  )
  expect(await admission.text()).toContain(`purser_auth_failures_total{reason="${one.reason}"} ${REQUESTS}\n`)
})
