/** Headers of Standard Webhooks (standardwebhooks.com), with a signature for each active secret. */
import { createHmac } from 'node:crypto'
import { environment } from '@purser/runtime/environment'
import { userAgent } from '@purser/runtime/version'

const AGENT = userAgent('webhooks')
const PREFIX = 'whsec_'
/** The specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32
const MS_PER_SECOND = 1_000

export function generateWebhookSecret(): string {
  return PREFIX + environment.randomBytes(SECRET_BYTES).toString('base64')
}

/** Returns the first secret, and during a rotation also the previous one. */
export function selectActiveSecrets(
  stored: { secrets: readonly string[]; oldSecretsUntil: Date | null },
  at: Date,
): readonly string[] {
  const { secrets, oldSecretsUntil } = stored
  return oldSecretsUntil !== null && oldSecretsUntil > at ? secrets : secrets.slice(0, 1)
}

export interface WebhookMessage {
  /** The same in each attempt. */
  readonly id: string
  readonly body: string
}

/** `at` is the time of the attempt. */
export function buildWebhookHeaders(
  { id, body }: WebhookMessage,
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  const timestamp = `${Math.trunc(at.getTime() / MS_PER_SECOND)}`
  const signatures = secrets.map((secret) => `v1,${signContent(secret, `${id}.${timestamp}.${body}`)}`)
  return {
    'content-type': 'application/json',
    'user-agent': AGENT,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function signContent(secret: string, content: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content)
    .digest('base64')
}
