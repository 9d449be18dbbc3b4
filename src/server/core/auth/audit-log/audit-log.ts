/**
 * The action log (O-4): who did what through one of our own APIs. Each change is written in its own transaction, by the author that the
 * request names: the key, and a person and a reason if the request says them.
 *
 * Invariant: an action is there if and only if its change is. What changes nothing leaves none. Rows are append-only by grants.
 */
import type { FastifyRequest } from 'fastify'
import { environment } from '../../../../runtime/environment.ts'
import { type Queryable, statement, type Tx } from '../../database/db.ts'
import { type Principal, principalOf } from '../../http/api/principal.ts'
import { invalid } from '../../http/api/problem-details.ts'
import type { AuthSchema } from '../auth-settings.ts'
import { type AuditView, diffViews } from './audit-diff.ts'
import { PERSON_HEADER, REASON_HEADER } from './audit-headers.ts'
import { type AuditLogFilter, type AuditLogPage, type AuditLogQuery, listAuditLog } from './audit-log-list.ts'

export interface AuditLogChange {
  /** Ids by their names in the API. The first one is what the log is searched by. */
  readonly on: Readonly<Record<string, string>>
  readonly before: AuditView
  readonly after: AuditView
  readonly at: Date
}

/** Who asked for a change, by which call. */
export interface Actor {
  /** As the request names them. */
  readonly person: string | null
  /** The key that the request showed. */
  readonly keyName: string
  /** In the transaction of the change, one statement; none when nothing differs. */
  record(tx: Tx, change: AuditLogChange): Promise<void>
}

/** Who and why, as the body of a request or the options of a command say it, where they do. */
export interface RequestContext {
  readonly person?: string | undefined
  readonly reason?: string | undefined
}

export interface AuditLog {
  /** 400 when body and header name two persons. */
  actorOf(request: FastifyRequest, context?: RequestContext): Actor
  /** For what the console records itself: a sign-in, a sign-out, a refused password. */
  actorFor(request: FastifyRequest, operation: string, caller: Pick<Principal, 'keyName' | 'keyHash' | 'person'>): Actor
  /** Of a call that a user's site makes for the user (W-24): kept only when it names a person, who does it by hand then. */
  userActorOf(request: FastifyRequest): Actor
  /** Newest first; of one subject, or all. */
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

/** Of a command, whose user has the database and no key. */
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
