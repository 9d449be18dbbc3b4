/**
 * Audit log of one of our own APIs (O-4). An entry names the key, and also the user and the reason
 * if the request names them.
 *
 * Invariant: an entry and its change are committed in one transaction, so neither exists without
 * the other. A request without effect leaves no entry. Database privileges make the rows
 * append-only.
 */

import { environment } from '@purser/runtime/environment'
import type { FastifyRequest } from 'fastify'
import { type Queryable, statement, type Tx } from '../../database/db.ts'
import { type Principal, principalOf } from '../../http/api/principal.ts'
import { invalid } from '../../http/api/problem-details.ts'
import type { AuthSchema } from '../auth-settings.ts'
import { type AuditView, diffViews } from './audit-diff.ts'
import { PERSON_HEADER, REASON_HEADER } from './audit-headers.ts'
import { type AuditLogFilter, type AuditLogPage, type AuditLogQuery, listAuditLog } from './audit-log-list.ts'

export interface AuditLogChange {
  /** Ids by their names in the API. The first one is the subject, by which the log is searched. */
  readonly on: Readonly<Record<string, string>>
  readonly before: AuditView
  readonly after: AuditView
  readonly at: Date
}

/** The key and user of a change, and its request. */
export interface Actor {
  /** Null: the request names no user. */
  readonly person: string | null
  readonly keyName: string
  /** Writes one statement in the transaction of the change; nothing if the views are equal. */
  record(tx: Tx, change: AuditLogChange): Promise<void>
}

/** User and reason from a request's body or a command's options. */
export interface RequestContext {
  readonly person?: string | undefined
  readonly reason?: string | undefined
}

export interface AuditLog {
  /** Throws a 400 if body and header name different users. */
  actorOf(request: FastifyRequest, context?: RequestContext): Actor
  /** For entries of the console itself: sign-in, sign-out, rejected password. */
  actorFor(request: FastifyRequest, operation: string, caller: Pick<Principal, 'keyName' | 'keyHash' | 'person'>): Actor
  /**
   * For a call that a site makes for its player (W-24). An entry is written only if the request
   * names a user, who then acts by hand.
   */
  userActorOf(request: FastifyRequest): Actor
  /** All subjects if `subject` is absent. */
  list(db: Queryable, query: AuditLogQuery, subject?: string, filter?: AuditLogFilter): Promise<AuditLogPage>
}

export function createAuditLog(schema: AuthSchema): AuditLog {
  const insert = defineInsert(schema)
  const by: AuditLog['actorOf'] = (request, context = {}) => {
    const { keyName, keyHash, person: signedIn } = principalOf(request)
    const person = resolvePerson(request, context.person, signedIn)
    const reason = request.headers[REASON_HEADER] ?? context.reason ?? null
    const actor = [request.id, readOperationId(request), keyName, keyHash, person, reason]
    return { person, keyName, record: (tx, change) => recordChange(tx, insert, actor, change) }
  }
  return {
    actorOf: by,
    actorFor: ({ id }, operation, { keyName, keyHash, person = null }) => {
      const actor = [id, operation, keyName, keyHash, person, null]
      return { person, keyName, record: (tx, change) => recordChange(tx, insert, actor, change) }
    },
    userActorOf: (request) => {
      const actor = by(request)
      return actor.person === null ? { ...actor, record: async () => {} } : actor
    },
    list: (db, query, subject, filter) => listAuditLog(db, schema, query, subject, filter),
  }
}

/** For a command, whose user has the database and no key. */
export function createCommandActor(
  schema: AuthSchema,
  command: string,
  operation: string,
  context: RequestContext = {},
): Actor {
  const { person = null, reason = null } = context
  const insert = defineInsert(schema)
  const actor = [environment.uuid(), operation, command, '', person, reason]
  return { person, keyName: command, record: (tx, change) => recordChange(tx, insert, actor, change) }
}

function resolvePerson(
  { headers }: FastifyRequest,
  named: string | undefined,
  signedIn: string | undefined,
): string | null {
  const inHeader = headers[PERSON_HEADER] as string | undefined
  if (signedIn !== undefined && (named ?? signedIn) === signedIn && (inHeader ?? signedIn) === signedIn) return signedIn
  if (signedIn !== undefined) throw invalid('/person', 'differs from the signed-in user: leave it out')
  if (named !== undefined && inHeader !== undefined && named !== inHeader)
    throw invalid('/person', `differs from the header ${PERSON_HEADER}: send only one of both`)
  return named ?? inHeader ?? null
}

function readOperationId({ routeOptions }: FastifyRequest): string {
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string }
  if (operationId === undefined) throw new Error(`${routeOptions.url} has no operationId`)
  return operationId
}

function defineInsert(schema: AuthSchema) {
  return statement(
    `${schema}_insert_action`,
    `insert into ${schema}.action (request_id, operation, key_name, key_hash, person, reason, subject, ids, before, after, at)
     values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::json, $9::json, $10::json, $11::timestamptz)`,
  )
}

async function recordChange(
  tx: Tx,
  insert: ReturnType<typeof defineInsert>,
  actor: readonly unknown[],
  { on, at, ...views }: AuditLogChange,
): Promise<void> {
  const { before, after } = diffViews(views.before, views.after)
  if (Object.keys({ ...before, ...after }).length === 0) return
  const subject = Object.values(on)[0] ?? ''
  const texts = [on, before, after].map((view) => JSON.stringify(view))
  await tx.execute(insert, [...actor, subject, ...texts, at])
}
