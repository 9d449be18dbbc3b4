/**
 * Store of webhooks (URLs that receive events). The process that delivers to a webhook holds a
 * claim on it and increments its heartbeat. A change by a user ends the claim, so the next holder
 * begins with the new values.
 */

import type { ConnectionSettings } from '@purser/runtime/network/connection-settings'
import { type Queryable, type Row, statement, type Tx } from '../database/db.ts'
import {
  connectionFromColumn,
  connectionToColumn,
  decryptColumn,
  encryptColumn,
  SECRET_TABLES,
} from '../database/encryption/encrypted-secrets.ts'
import type { EncryptionKeyring, StoredSecrets } from '../database/encryption/encryption-keyring.ts'
import { mapSingleRow } from '../database/row-mapping.ts'

export interface WebhookAttempt {
  readonly at: string
  readonly event: string
  readonly name: string
  readonly durationMs: number
  readonly httpStatus?: number
  /** Absent: the webhook acknowledged the event. */
  readonly error?: string
}

export const MAX_STORED_ATTEMPTS = 20

export interface Webhook {
  readonly webhookId: string
  readonly url: string
  /** Event names; empty for all events. */
  readonly events: readonly string[]
  readonly secrets: readonly string[]
  readonly connection: ConnectionSettings
  /** The older secrets are valid until this time. */
  readonly oldSecretsUntil: Date | null
  readonly state: 'active' | 'disabled' | 'removed'
  /** All events up to this number are acknowledged. */
  readonly acknowledgedTo: bigint
  readonly failingSince: Date | null
  readonly lastError: string | null
  /** Newest first. */
  readonly lastAttempts: readonly WebhookAttempt[]
  readonly claim: string | null
  readonly heartbeat: bigint
  readonly madeAt: Date
}

interface WebhookRow extends Row {
  webhook_id: string
  url: string
  events: string[]
  secrets: StoredSecrets
  connection: StoredSecrets | null
  old_until: Date | null
  state: Webhook['state']
  acknowledged_to: bigint
  failing_since: Date | null
  last_error: string | null
  last_attempts: readonly WebhookAttempt[]
  claim: string | null
  beat: bigint
  made_at: Date
}

const COLUMNS =
  'webhook_id, url, events, secrets, connection, old_until, state, acknowledged_to, failing_since, last_error, last_attempts, claim, beat, made_at'
/** Per wallet. */
export const MAX_WEBHOOKS = 50

const LIST = statement(
  'list_webhooks',
  `select ${COLUMNS} from purser.webhook where state <> 'removed' order by webhook_id`,
)
const LOCK = statement('lock_webhook', `select ${COLUMNS} from purser.webhook where webhook_id = $1::text for update`)
type WebhookFields = Omit<Webhook, 'claim' | 'heartbeat' | 'failingSince' | 'lastError' | 'lastAttempts'>

const WEBHOOK_COLUMNS = mapSingleRow<WebhookFields & { readonly kept: unknown; readonly keptConnection: unknown }>(1, {
  webhook_id: ['text', ({ webhookId }) => webhookId],
  url: ['text', ({ url }) => url],
  events: ['text[]', ({ events }) => events],
  secrets: ['json', ({ kept: encrypted }) => encrypted],
  connection: ['json', ({ keptConnection }) => keptConnection],
  old_until: ['timestamptz', ({ oldSecretsUntil }) => oldSecretsUntil],
  state: ['text', ({ state }) => state],
  acknowledged_to: ['bigint', ({ acknowledgedTo }) => acknowledgedTo],
  made_at: ['timestamptz', ({ madeAt }) => madeAt],
})
const SAVE = statement(
  'save_webhook',
  `insert into purser.webhook as w (${WEBHOOK_COLUMNS.columns}) values (${WEBHOOK_COLUMNS.parameters})
   on conflict (webhook_id) do update set url = excluded.url, events = excluded.events, secrets = excluded.secrets,
     connection = excluded.connection, old_until = excluded.old_until, state = excluded.state, acknowledged_to = excluded.acknowledged_to, made_at = excluded.made_at,
     failing_since = null, last_error = null, claim = null, beat = w.beat + 1`,
)
const CLAIM = statement(
  'claim_webhook',
  `update purser.webhook set claim = $3::uuid, beat = beat + 1
   where webhook_id = $1::text and beat = $2::bigint and state = 'active' returning ${COLUMNS}`,
)

export interface WebhookProgress {
  readonly acknowledgedTo: bigint
  readonly failingSince: Date | null
  readonly lastError: string | null
  readonly state: 'active' | 'disabled'
  /** False releases the claim. */
  readonly holds: boolean
  /** Undefined: unchanged. */
  readonly lastAttempts: readonly WebhookAttempt[] | undefined
}

const PROGRESS_COLUMNS = mapSingleRow<WebhookProgress>(5, {
  acknowledged_to: ['bigint', ({ acknowledgedTo }) => acknowledgedTo],
  failing_since: ['timestamptz', ({ failingSince }) => failingSince],
  last_error: ['text', ({ lastError }) => lastError],
  state: ['text', ({ state }) => state],
})
const SAVE_PROGRESS = statement(
  'keep_webhook',
  `update purser.webhook set beat = beat + 1, claim = case when $3::boolean then claim end,
     last_attempts = coalesce($4::json, last_attempts), ${PROGRESS_COLUMNS.assignments}
   where webhook_id = $1::text and claim = $2::uuid`,
)

/** Finds the position of the first event since a time. */
export const FIRST_CHANGE_SINCE = statement(
  'first_change_from',
  `select last_number - size as before from purser.change where last_number is not null and at >= $1::timestamptz
   order by last_number limit 1`,
)

const table = SECRET_TABLES.wallet

function toWebhook(keyring: EncryptionKeyring, row: WebhookRow): Webhook {
  return {
    ...{ webhookId: row.webhook_id, url: row.url, events: row.events, state: row.state },
    secrets: decryptColumn(keyring, table, row.webhook_id, row.secrets),
    connection: connectionFromColumn(keyring, table, row.webhook_id, row.connection),
    ...{
      oldSecretsUntil: row.old_until,
      acknowledgedTo: row.acknowledged_to,
      failingSince: row.failing_since,
      lastError: row.last_error,
    },
    lastAttempts: row.last_attempts,
    ...{ claim: row.claim, heartbeat: row.beat, madeAt: row.made_at },
  }
}

export async function listWebhooks(db: Queryable, keyring: EncryptionKeyring): Promise<Webhook[]> {
  return (await db.query<WebhookRow>(LIST)).map((row) => toWebhook(keyring, row))
}

/** Includes a removed webhook. */
export async function lockWebhook(tx: Tx, keyring: EncryptionKeyring, webhookId: string): Promise<Webhook | undefined> {
  const [row] = await tx.query<WebhookRow>(LOCK, [webhookId])
  return row && toWebhook(keyring, row)
}

/** For a change by a user; ends the claim. */
export async function saveWebhook(tx: Tx, keyring: EncryptionKeyring, webhook: WebhookFields): Promise<void> {
  const encrypted = encryptColumn(keyring, table, webhook.webhookId, webhook.secrets)
  const keptConnection = connectionToColumn(keyring, table, webhook.webhookId, webhook.connection)
  await tx.execute(SAVE, WEBHOOK_COLUMNS.values({ ...webhook, kept: encrypted, keptConnection }))
}

/** Undefined: another process was faster, or the webhook is not active any more. */
export async function claimWebhook(
  tx: Tx,
  keyring: EncryptionKeyring,
  { webhookId, heartbeat }: Webhook,
  claim: string,
) {
  const [row] = await tx.query<WebhookRow>(CLAIM, [webhookId, heartbeat, claim])
  return row && toWebhook(keyring, row)
}

/** False: the claim is lost. */
export async function saveWebhookProgress(
  tx: Tx,
  webhookId: string,
  claim: string,
  progress: WebhookProgress,
): Promise<boolean> {
  const { holds, lastAttempts } = progress
  const attempts = lastAttempts === undefined ? null : JSON.stringify(lastAttempts)
  return (
    (await tx.execute(SAVE_PROGRESS, [webhookId, claim, holds, attempts, ...PROGRESS_COLUMNS.values(progress)])) === 1
  )
}
