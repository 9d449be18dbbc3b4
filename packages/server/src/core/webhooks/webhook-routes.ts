/**
 * Routes of webhooks (W-42): create, change, test, replay, rotate the secret, remove. All need the
 * role admin.
 */

import { findAddressFault } from '@purser/protocol/client/network/ssrf-guard'
import type { Reach } from '@purser/protocol/values/base-url'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import { logConnection } from '@purser/runtime/network/connection-settings'
import { type Static, Type } from 'typebox'
import { withAuditHeaders } from '../auth/audit-log/audit-headers.ts'
import type { Actor, AuditLog } from '../auth/audit-log/audit-log.ts'
import type { AuditLogPage } from '../auth/audit-log/audit-log-list.ts'
import type { Feed } from '../change-feed/change-feed.ts'
import type { Db, Tx } from '../database/db.ts'
import type { EncryptionKeyring } from '../database/encryption/encryption-keyring.ts'
import { toTime } from '../http/api/pagination.ts'
import { hasRole, type Principal } from '../http/api/principal.ts'
import { invalid, notFound } from '../http/api/problem-details.ts'
import { describeRoute, type RouteShape, type Routes } from '../http/api/route-description.ts'
import { requirePathSafe } from '../http/api/storable-text.ts'
import { changedConnection, showConnection } from '../partners/connection-member.ts'
import { classifyWebhookHealth, WEBHOOK_DISABLE_AFTER_MS } from './webhook-dispatcher.ts'
import {
  newWebhookSchema,
  ReplayWebhookSchema,
  RotateWebhookSecretSchema,
  WEBHOOK_SECRET_OVERLAP_S,
  WebhookAttemptsSchema,
  WebhookListSchema,
  WebhookPath,
  WebhookSchema,
  WebhookTestResultSchema,
  WebhookWithSecretSchema,
} from './webhook-schemas.ts'
import type { WebhookSender } from './webhook-sender.ts'
import { generateWebhookSecret, selectActiveSecrets } from './webhook-signature.ts'
import {
  FIRST_CHANGE_SINCE,
  listWebhooks,
  lockWebhook,
  MAX_STORED_ATTEMPTS,
  MAX_WEBHOOKS,
  saveWebhook,
  type Webhook,
} from './webhook-store.ts'

export interface WebhookDeps {
  readonly db: Pick<Db, 'transaction' | 'userQueries' | 'snapshot'>
  readonly clock: Clock
  readonly keyring: EncryptionKeyring
  readonly feed: Feed
  senderTo(webhook: Pick<Webhook, 'connection'>): WebhookSender
  readonly actions: AuditLog
  readonly reach: Reach
}

export function addWebhookRoutes(
  api: Routes,
  deps: WebhookDeps,
  { key, tag, events }: { readonly key: string; readonly tag: string; readonly events: readonly string[] },
): void {
  const describe = <S extends RouteShape>(operationId: string, summary: string, shape: S) =>
    describeRoute({ operationId, tag, summary, key }, shape)
  addResourceRoutes(api, deps, describe, events)
  addActionRoutes(api, deps, describe)
}

type Describe = <S extends RouteShape>(
  operationId: string,
  summary: string,
  shape: S,
) => ReturnType<typeof describeRoute<S>>

function addResourceRoutes(api: Routes, deps: WebhookDeps, describe: Describe, events: readonly string[]): void {
  const params = WebhookPath
  const by = deps.actions.actorOf
  api.get(
    '/webhooks',
    describe('listWebhooks', 'List webhooks with their state', {
      role: 'admin',
      ok: { 200: WebhookListSchema },
    }),
    async () => ({
      data: (await listWebhooks(deps.db.userQueries, deps.keyring)).map((one) => toWebhookView(one, deps.clock.now())),
      next: null,
      eventNames: [...events],
    }),
  )
  api.get(
    '/webhooks/:webhookId',
    describe('readWebhook', 'Read a webhook with its state', { role: 'admin', params, ok: { 200: WebhookSchema } }),
    async ({ params: { webhookId } }) => toWebhookView(await findWebhook(deps, webhookId), deps.clock.now()),
  )
  api.get(
    '/webhooks/:webhookId/attempts',
    describe('listWebhookAttempts', `List the last ${MAX_STORED_ATTEMPTS} attempts to call the webhook, newest first`, {
      role: 'admin',
      params,
      ok: { 200: WebhookAttemptsSchema },
    }),
    async ({ params: { webhookId } }) => ({ data: [...(await findWebhook(deps, webhookId)).lastAttempts], next: null }),
  )
  api.put(
    '/webhooks/:webhookId',
    describe(
      'saveWebhook',
      'Create or change a webhook, or enable it again',
      withAuditHeaders({
        role: 'admin',
        params,
        body: newWebhookSchema(events),
        ok: { 200: WebhookSchema, 201: WebhookWithSecretSchema },
        problems: { 404: null },
      }),
    ),
    async (request, reply) => {
      const { status, body } = await createOrUpdateWebhook(deps, by(request), request.params.webhookId, request.body)
      return reply.code(status).send(body)
    },
  )
  api.delete(
    '/webhooks/:webhookId',
    describe(
      'removeWebhook',
      'Remove a webhook',
      withAuditHeaders({ role: 'admin', params, ok: { 204: Type.Null() } }),
    ),
    async (request, reply) => {
      await changeWebhook(deps, by(request), request.params.webhookId, (one) => ({ ...one, state: 'removed' }))
      return reply.code(204).send()
    },
  )
}

function addActionRoutes(api: Routes, deps: WebhookDeps, describe: Describe): void {
  const params = WebhookPath
  const by = deps.actions.actorOf
  api.post(
    '/webhooks/:webhookId/replay',
    describe(
      'replayWebhook',
      'Send all events again from an event or a time on',
      withAuditHeaders({
        role: 'admin',
        params,
        body: ReplayWebhookSchema,
        ok: { 200: WebhookSchema },
      }),
    ),
    async (request) => {
      const acknowledgedTo = await resolveReplayStart(deps, request.body)
      return changeWebhook(deps, by(request), request.params.webhookId, (one) => ({ ...one, acknowledgedTo }))
    },
  )
  api.post(
    '/webhooks/:webhookId/rotate',
    describe(
      'rotateWebhook',
      'Rotate the secret; the old secret also signs for a while',
      withAuditHeaders({
        role: 'admin',
        params,
        body: Type.Optional(RotateWebhookSecretSchema),
        ok: { 201: WebhookWithSecretSchema },
      }),
    ),
    async (request, reply) => {
      const fresh = generateWebhookSecret()
      const overlap = (request.body?.overlapSeconds ?? WEBHOOK_SECRET_OVERLAP_S) * 1_000
      const oldSecretsUntil = new Date(deps.clock.now().getTime() + overlap)
      const rotate = (one: Webhook): Webhook => ({
        ...one,
        secrets: [fresh, ...one.secrets.slice(0, 1)],
        oldSecretsUntil,
      })
      const shown = await changeWebhook(deps, by(request), request.params.webhookId, rotate)
      return reply.code(201).send({ ...shown, secret: fresh })
    },
  )
  api.post(
    '/webhooks/:webhookId/test',
    describe(
      'testWebhook',
      'Send a message of the type webhook.test now',
      withAuditHeaders({
        role: 'admin',
        params,
        ok: { 200: WebhookTestResultSchema },
      }),
    ),
    (request) => sendTestMessage(deps, by(request), request.params.webhookId),
  )
}

async function findWebhook({ db, keyring }: WebhookDeps, webhookId: string): Promise<Webhook> {
  const found = (await listWebhooks(db.userQueries, keyring)).find((one) => one.webhookId === webhookId)
  if (found === undefined) throw notFound('the webhook')
  return found
}

async function createOrUpdateWebhook(
  deps: WebhookDeps,
  actor: Actor,
  webhookId: string,
  body: Static<ReturnType<typeof newWebhookSchema>>,
) {
  const { url, events = [], after = 'latest' } = body
  const fault = await findAddressFault(url, deps.reach, 'webhook')
  if (fault !== undefined) throw invalid('/url', fault)
  const begin = await resolveReplayStart(deps, { after })
  const connectionAfter = (known?: Webhook) =>
    changedConnection(body.connection, known?.connection ?? {}, { url, urlPointer: '/url' })
  return deps.db.transaction(async (tx) => {
    const known = await lockWebhook(tx, deps.keyring, webhookId)
    if (known !== undefined && known.state !== 'removed') {
      const changed: Webhook = {
        ...known,
        ...{ url, events, state: 'active', connection: connectionAfter(known) },
        ...(body.after !== undefined && { acknowledgedTo: begin }),
      }
      return { status: 200, body: await writeWebhook(deps, actor, tx, known, changed) } as const
    }
    requirePathSafe(webhookId, '/path/webhookId')
    if ((await listWebhooks(tx, deps.keyring)).length >= MAX_WEBHOOKS)
      throw invalid('/path/webhookId', `would exceed the limit of ${MAX_WEBHOOKS} webhooks: remove one first`)
    const madeAt = deps.clock.now()
    const fresh = generateWebhookSecret()
    const made: Webhook = {
      ...{ webhookId, url, events, secrets: [fresh], oldSecretsUntil: null, state: 'active', acknowledgedTo: begin },
      connection: connectionAfter(),
      ...{ failingSince: null, lastError: null, lastAttempts: [], claim: null, heartbeat: 0n, madeAt },
    }
    return { status: 201, body: { ...(await writeWebhook(deps, actor, tx, undefined, made)), secret: fresh } } as const
  })
}

function changeWebhook(deps: WebhookDeps, actor: Actor, webhookId: string, to: (one: Webhook) => Webhook) {
  return deps.db.transaction(async (tx) => {
    const known = await lockWebhook(tx, deps.keyring, webhookId)
    if (known === undefined || known.state === 'removed') throw notFound('the webhook')
    return writeWebhook(deps, actor, tx, known, to(known))
  })
}

/** The audit log never contains the secret, only the time of its change. */
async function writeWebhook(deps: WebhookDeps, actor: Actor, tx: Tx, before: Webhook | undefined, after: Webhook) {
  const at = deps.clock.now()
  await saveWebhook(tx, deps.keyring, after)
  await actor.record(tx, {
    on: { webhookId: after.webhookId },
    before: before === undefined ? {} : toLogView(before),
    after: toLogView(after),
    at,
  })
  return toWebhookView({ ...after, failingSince: null, lastError: null }, at)
}

function toLogView({ url, events, state, acknowledgedTo, oldSecretsUntil, connection }: Webhook) {
  const rotated = oldSecretsUntil === null ? {} : { earlierSecretUntil: oldSecretsUntil.toISOString() }
  return { url, events: [...events], state, doneTo: String(acknowledgedTo), ...rotated, ...logConnection(connection) }
}

/** Returns the number of the last event that is not sent. */
async function resolveReplayStart(
  deps: WebhookDeps,
  { after, from }: Static<typeof ReplayWebhookSchema>,
): Promise<bigint> {
  if ((after === undefined) === (from === undefined)) throw invalid('/after', 'or from: give exactly one of both')
  const answer = await deps.feed.poll(after ?? 'latest', 0, 0)
  if (answer.kind === 'too_old')
    throw invalid('/after', `was deleted by retention: the feed begins after ${answer.first}`)
  if (answer.kind !== 'page') throw invalid('/after', 'is not a cursor of this feed')
  if (from === undefined) return BigInt(answer.page.next)
  return findPositionAt(deps, toTime(from, '/from'), BigInt(answer.page.next))
}

/**
 * A future time would skip all waiting events. A time before the oldest stored event would suggest
 * that all later events were sent.
 */
async function findPositionAt({ db, clock, feed }: WebhookDeps, time: Date, end: bigint): Promise<bigint> {
  if (time > clock.now()) throw invalid('/from', 'is in the future')
  const [first] = await db.snapshot((tx) => tx.query<{ before: bigint }>(FIRST_CHANGE_SINCE, [time]))
  const oldest = await feed.poll('0', 0, 0)
  if (oldest.kind === 'too_old' && (first?.before ?? end) <= BigInt(oldest.first))
    throw invalid('/from', `may be before the oldest stored event: the feed begins after ${oldest.first}`)
  return first?.before ?? end
}

async function sendTestMessage(deps: WebhookDeps, actor: Actor, webhookId: string) {
  const webhook = await findWebhook(deps, webhookId)
  const { url, secrets, oldSecretsUntil } = webhook
  const at = deps.clock.now()
  const body = JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data: { webhookId } })
  const good = selectActiveSecrets({ secrets, oldSecretsUntil }, at)
  const sender = deps.senderTo(webhook)
  const sent = await sender
    .send(url, good, { id: `test_${environment.uuid()}`, body }, at)
    .finally(() => sender.close())
  const { httpStatus } = sent
  const result = {
    delivered: sent.kind === 'delivered',
    ...(httpStatus !== undefined && { httpStatus }),
    ...(sent.kind !== 'delivered' && { error: sent.error }),
  }
  await deps.db.transaction((tx) => actor.record(tx, { on: { webhookId }, before: {}, after: { test: result }, at }))
  return result
}

function toWebhookView(webhook: Webhook, now: Date): Static<typeof WebhookSchema> {
  const { webhookId, url, events, acknowledgedTo, failingSince, lastError, madeAt, state, connection } = webhook
  return {
    ...{
      webhookId,
      url,
      events: [...events],
      state: classifyWebhookHealth(webhook, now),
      doneTo: String(acknowledgedTo),
    },
    ...showConnection(connection),
    ...(failingSince !== null && { failingSince: failingSince.toISOString() }),
    ...(failingSince !== null &&
      state === 'active' && { disabledAt: new Date(failingSince.getTime() + WEBHOOK_DISABLE_AFTER_MS).toISOString() }),
    ...(lastError !== null && { lastError }),
    madeAt: madeAt.toISOString(),
  }
}

/** Stands for the URL of a webhook in the audit log. */
const MASK = '***'

/**
 * A secret address may be the consumer's only protection, so only admins see it (W-42). Every
 * reader sees that it changed.
 */
export function redactWebhookUrls(caller: Principal, page: AuditLogPage): AuditLogPage {
  return hasRole(caller, 'admin') ? page : { ...page, data: page.data.map(redactUrls) }
}

function redactUrls(action: AuditLogPage['data'][number]): AuditLogPage['data'][number] {
  const { on, before, after } = action
  return on.webhookId === undefined ? action : { ...action, before: redactUrl(before), after: redactUrl(after) }
}

function redactUrl(view: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...view, ...('url' in view && { url: MASK }) }
}
