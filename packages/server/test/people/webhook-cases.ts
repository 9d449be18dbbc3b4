/** Makes each call that changes a webhook, with the audit entry that it must write (W-42). */
import { expect } from 'vitest'
import type { Asking, AuditedCall } from './audited-calls.ts'

const time = expect.stringMatching(/Z$/)

export function webhookCases(asked: () => Asking): Record<string, () => Promise<AuditedCall> | AuditedCall> {
  let made = 0
  const url = 'http://127.0.0.1:1/hook'
  const aHook = async () => {
    made += 1
    await asked().must('PUT', `/operator/webhooks/hook-${made}`, { url })
    return { path: `/operator/webhooks/hook-${made}`, on: { webhookId: `hook-${made}` } }
  }
  const count = expect.stringMatching(/^\d+$/)
  return {
    saveWebhook: () => {
      const webhook = { url, events: ['bet.placed'] }
      const after = { ...webhook, state: 'active', doneTo: count }
      return { call: ['PUT', '/operator/webhooks/crm', webhook], on: { webhookId: 'crm' }, before: {}, after }
    },
    removeWebhook: async () => {
      const { path, on } = await aHook()
      return { call: ['DELETE', path], on, before: { state: 'active' }, after: { state: 'removed' } }
    },
    replayWebhook: async () => {
      const { path, on } = await aHook()
      return { call: ['POST', `${path}/replay`, { after: '1' }], on, before: { doneTo: count }, after: { doneTo: '1' } }
    },
    rotateWebhook: async () => {
      const { path, on } = await aHook()
      return { call: ['POST', `${path}/rotate`], on, before: {}, after: { earlierSecretUntil: time } }
    },
    testWebhook: async () => {
      const { path, on } = await aHook()
      const test = { delivered: false, error: expect.stringContaining('ECONNREFUSED') }
      return { call: ['POST', `${path}/test`], on, before: {}, after: { test } }
    },
  }
}
