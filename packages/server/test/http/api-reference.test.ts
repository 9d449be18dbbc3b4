/**
 * The API reference is cheap to serve: a server makes the document, page and script once and sends
 * them from memory.
 */
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { registerApiReference } from '../../src/core/http/api/api-reference.ts'

test.each(['/openapi.json', '/docs', '/docs/redoc.js'])('every answer with %s shares one buffer', async (url) => {
  const sent: unknown[] = []
  const app = Fastify()
  app.addHook('onSend', async (_request, _reply, body) => void sent.push(body))
  registerApiReference(app, 'wallet')
  for (let i = 0; i < 2; i++) {
    const { headers } = await app.inject(url)
    expect(headers['permissions-policy']).toContain('camera=()')
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
  expect(sent[0]).toBeInstanceOf(Buffer)
  expect(sent[1]).toBe(sent[0])
})
