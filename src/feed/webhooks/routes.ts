/** The routes of webhooks (W-42): made, changed, tested, replayed, given another secret, removed. All need the role admin. */
import { type Static, Type } from 'typebox'
import type { Db, Tx } from '../../db/db.ts'
import type { Keyring } from '../../db/keyring.ts'
import { changedConnection, showConnection } from '../../http/connection-member.ts'
import { toTime } from '../../http/page.ts'
import { invalid, notFound } from '../../http/problem.ts'
import { describeRoute, type Routes, type Shape } from '../../http/route.ts'
import { requireCarried } from '../../http/storable.ts'
import type { ActionLog, Author } from '../../people/actions.ts'
import { withPerson } from '../../people/person.ts'
import type { Reach } from '../../protocol/base-url.ts'
import type { Clock } from '../../runtime/clock.ts'
import { logConnection } from '../../runtime/connection-settings.ts'
import { world } from '../../runtime/world.ts'
import { findFault } from '../../wallet-client/base-url.ts'
import type { Feed } from '../feed.ts'
import { DISABLE_AFTER_MS, healthOf } from './dispatcher.ts'
import type { Sender } from './send.ts'
import {
  AttemptsSchema,
  newWebhook,
  OVERLAP_S,
  ReplaySchema,
  RotateSchema,
  TestedSchema,
  WebhookListSchema,
  WebhookPath,
  WebhookSchema,
  WithSecretSchema,
} from './shapes.ts'
import { goodSecrets, newSecret } from './signature.ts'
import {
  FIRST_FROM,
  KEPT_ATTEMPTS,
  listWebhooks,
  lockWebhook,
  MAX_WEBHOOKS,
  saveWebhook,
  type Webhook,
} from './store.ts'

export interface WebhookDeps {
  readonly db: Pick<Db, 'transaction' | 'people' | 'snapshot'>
  readonly clock: Clock
  readonly keyring: Keyring
  readonly feed: Feed
  senderTo(webhook: Pick<Webhook, 'connection'>): Sender
  readonly actions: ActionLog
  readonly reach: Reach
}

export function addWebhookRoutes(
  api: Routes,
  deps: WebhookDeps,
  { key, tag, events }: { readonly key: string; readonly tag: string; readonly events: readonly string[] },
): void {
  const describe = <S extends Shape>(operationId: string, summary: string, shape: S) =>
    describeRoute({ operationId, tag, summary, key }, shape)
  addKept(api, deps, describe, events)
  addActs(api, deps, describe)
}

type Describe = <S extends Shape>(operationId: string, summary: string, shape: S) => ReturnType<typeof describeRoute<S>>

/** Made, read, changed, removed. */
function addKept(api: Routes, deps: WebhookDeps, describe: Describe, events: readonly string[]): void {
  const params = WebhookPath
  const by = deps.actions.by
  api.get(
    '/webhooks',
    describe('listWebhooks', 'Webhooks with their state', {
      role: 'admin',
      ok: { 200: WebhookListSchema },
    }),
    async () => ({
      data: (await listWebhooks(deps.db.people, deps.keyring)).map((one) => show(one, deps.clock.now())),
      next: null,
      eventNames: [...events],
    }),
  )
  api.get(
    '/webhooks/:webhookId',
    describe('readWebhook', 'A webhook with its state', { role: 'admin', params, ok: { 200: WebhookSchema } }),
    async ({ params: { webhookId } }) => show(await find(deps, webhookId), deps.clock.now()),
  )
  api.get(
    '/webhooks/:webhookId/attempts',
    describe('listWebhookAttempts', `The last ${KEPT_ATTEMPTS} attempts to tell it something, newest first`, {
      role: 'admin',
      params,
      ok: { 200: AttemptsSchema },
    }),
    async ({ params: { webhookId } }) => ({ data: [...(await find(deps, webhookId)).lastAttempts], next: null }),
  )
  api.put(
    '/webhooks/:webhookId',
    describe(
      'saveWebhook',
      'Make a webhook, change it, or go on with one that is disabled',
      withPerson({
        role: 'admin',
        params,
        body: newWebhook(events),
        ok: { 200: WebhookSchema, 201: WithSecretSchema },
        problems: { 404: null },
      }),
    ),
    async (request, reply) => {
      const { status, body } = await save(deps, by(request), request.params.webhookId, request.body)
      return reply.code(status).send(body)
    },
  )
  api.delete(
    '/webhooks/:webhookId',
    describe('removeWebhook', 'Remove a webhook', withPerson({ role: 'admin', params, ok: { 204: Type.Null() } })),
    async (request, reply) => {
      await change(deps, by(request), request.params.webhookId, (one) => ({ ...one, state: 'removed' }))
      return reply.code(204).send()
    },
  )
}

/** What is done with one that is there. */
function addActs(api: Routes, deps: WebhookDeps, describe: Describe): void {
  const params = WebhookPath
  const by = deps.actions.by
  api.post(
    '/webhooks/:webhookId/replay',
    describe(
      'replayWebhook',
      'Send everything again from an event or a time on',
      withPerson({
        role: 'admin',
        params,
        body: ReplaySchema,
        ok: { 200: WebhookSchema },
      }),
    ),
    async (request) => {
      const doneTo = await placeOf(deps, request.body)
      return change(deps, by(request), request.params.webhookId, (one) => ({ ...one, doneTo }))
    },
  )
  api.post(
    '/webhooks/:webhookId/rotate',
    describe(
      'rotateWebhook',
      'Give it another secret; the one before signs too for a while',
      withPerson({
        role: 'admin',
        params,
        body: Type.Optional(RotateSchema),
        ok: { 201: WithSecretSchema },
      }),
    ),
    async (request, reply) => {
      const fresh = newSecret()
      const overlap = (request.body?.overlapSeconds ?? OVERLAP_S) * 1_000
      const oldUntil = new Date(deps.clock.now().getTime() + overlap)
      const rotate = (one: Webhook): Webhook => ({ ...one, secrets: [fresh, ...one.secrets.slice(0, 1)], oldUntil })
      const shown = await change(deps, by(request), request.params.webhookId, rotate)
      return reply.code(201).send({ ...shown, secret: fresh })
    },
  )
  api.post(
    '/webhooks/:webhookId/test',
    describe(
      'testWebhook',
      'Send a message of the type webhook.test now',
      withPerson({
        role: 'admin',
        params,
        ok: { 200: TestedSchema },
      }),
    ),
    (request) => test(deps, by(request), request.params.webhookId),
  )
}

async function find({ db, keyring }: WebhookDeps, webhookId: string): Promise<Webhook> {
  const found = (await listWebhooks(db.people, keyring)).find((one) => one.webhookId === webhookId)
  if (found === undefined) throw notFound('the webhook')
  return found
}

async function save(deps: WebhookDeps, author: Author, webhookId: string, body: Static<ReturnType<typeof newWebhook>>) {
  const { url, events = [], after = 'latest' } = body
  const fault = await findFault(url, deps.reach, 'webhook')
  if (fault !== undefined) throw invalid('/url', fault)
  const begin = await placeOf(deps, { after })
  const connectionAfter = (known?: Webhook) =>
    changedConnection(body.connection, known?.connection ?? {}, { url, urlPointer: '/url' })
  return deps.db.transaction(async (tx) => {
    const known = await lockWebhook(tx, deps.keyring, webhookId)
    if (known !== undefined && known.state !== 'removed') {
      const changed: Webhook = {
        ...known,
        ...{ url, events, state: 'active', connection: connectionAfter(known) },
        ...(body.after !== undefined && { doneTo: begin }),
      }
      return { status: 200, body: await write(deps, author, tx, known, changed) } as const
    }
    requireCarried(webhookId, '/path/webhookId')
    if ((await listWebhooks(tx, deps.keyring)).length >= MAX_WEBHOOKS)
      throw invalid('/path/webhookId', `is one more than the ${MAX_WEBHOOKS} that there may be`)
    const madeAt = deps.clock.now()
    const fresh = newSecret()
    const made: Webhook = {
      ...{ webhookId, url, events, secrets: [fresh], oldUntil: null, state: 'active', doneTo: begin },
      connection: connectionAfter(),
      ...{ failingSince: null, lastError: null, lastAttempts: [], claim: null, beat: 0n, madeAt },
    }
    return { status: 201, body: { ...(await write(deps, author, tx, undefined, made)), secret: fresh } } as const
  })
}

function change(deps: WebhookDeps, author: Author, webhookId: string, to: (one: Webhook) => Webhook) {
  return deps.db.transaction(async (tx) => {
    const known = await lockWebhook(tx, deps.keyring, webhookId)
    if (known === undefined || known.state === 'removed') throw notFound('the webhook')
    return write(deps, author, tx, known, to(known))
  })
}

/** The log has no secret, only when it was changed. */
async function write(deps: WebhookDeps, author: Author, tx: Tx, before: Webhook | undefined, after: Webhook) {
  const at = deps.clock.now()
  await saveWebhook(tx, deps.keyring, after)
  await author.record(tx, {
    on: { webhookId: after.webhookId },
    before: before === undefined ? {} : forLog(before),
    after: forLog(after),
    at,
  })
  return show({ ...after, failingSince: null, lastError: null }, at)
}

function forLog({ url, events, state, doneTo, oldUntil, connection }: Webhook) {
  const rotated = oldUntil === null ? {} : { earlierSecretUntil: oldUntil.toISOString() }
  return { url, events: [...events], state, doneTo: String(doneTo), ...rotated, ...logConnection(connection) }
}

/** The number of the last event that is not to be sent. */
async function placeOf(deps: WebhookDeps, { after, from }: Static<typeof ReplaySchema>): Promise<bigint> {
  if ((after === undefined) === (from === undefined)) throw invalid('/after', 'or from: exactly one of them is needed')
  const asked = await deps.feed.ask(after ?? 'latest', 0, 0)
  if (asked.kind === 'too_old') throw invalid('/after', `is not kept any more; the feed begins after ${asked.first}`)
  if (asked.kind !== 'page') throw invalid('/after', 'is not a cursor of this feed')
  if (from === undefined) return BigInt(asked.page.next)
  return placeAt(deps, toTime(from, '/from'), BigInt(asked.page.next))
}

/** A time that has not come would pass over all that waits, one from before what is kept would look as if all since then were sent. */
async function placeAt({ db, clock, feed }: WebhookDeps, time: Date, end: bigint): Promise<bigint> {
  if (time > clock.now()) throw invalid('/from', 'has not come')
  const [first] = await db.snapshot((tx) => tx.query<{ before: bigint }>(FIRST_FROM, [time]))
  const kept = await feed.ask('0', 0, 0)
  if (kept.kind === 'too_old' && (first?.before ?? end) <= BigInt(kept.first))
    throw invalid('/from', `may be earlier than what is kept; the feed begins after ${kept.first}`)
  return first?.before ?? end
}

async function test(deps: WebhookDeps, author: Author, webhookId: string) {
  const webhook = await find(deps, webhookId)
  const { url, secrets, oldUntil } = webhook
  const at = deps.clock.now()
  const body = JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data: { webhookId } })
  const good = goodSecrets({ secrets, oldUntil }, at)
  const sender = deps.senderTo(webhook)
  const sent = await sender.send(url, good, { id: `test_${world.uuid()}`, body }, at).finally(() => sender.close())
  const { httpStatus } = sent
  const result = {
    delivered: sent.kind === 'delivered',
    ...(httpStatus !== undefined && { httpStatus }),
    ...(sent.kind !== 'delivered' && { error: sent.error }),
  }
  await deps.db.transaction((tx) => author.record(tx, { on: { webhookId }, before: {}, after: { test: result }, at }))
  return result
}

function show(webhook: Webhook, now: Date): Static<typeof WebhookSchema> {
  const { webhookId, url, events, doneTo, failingSince, lastError, madeAt, state, connection } = webhook
  return {
    ...{ webhookId, url, events: [...events], state: healthOf(webhook, now), doneTo: String(doneTo) },
    ...showConnection(connection),
    ...(failingSince !== null && { failingSince: failingSince.toISOString() }),
    ...(failingSince !== null &&
      state === 'active' && { disabledAt: new Date(failingSince.getTime() + DISABLE_AFTER_MS).toISOString() }),
    ...(lastError !== null && { lastError }),
    madeAt: madeAt.toISOString(),
  }
}
