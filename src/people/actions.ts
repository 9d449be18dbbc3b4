/**
 * The action log (O-4): who did what through one of our own APIs. Each change is written in its own transaction, by the author that the
 * request names: the key, and a person and a reason if the request says them.
 *
 * Invariant: an action is there if and only if its change is. What changes nothing leaves none. Rows are append-only by grants.
 */
import type { FastifyRequest } from 'fastify'
import { type Reading, statement, type Tx } from '../db/db.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { invalid } from '../http/problem.ts'
import { world } from '../runtime/world.ts'
import { type ActionPage, type ActionQuery, listActions, type Only } from './action-list.ts'
import { differenceBetween, type View } from './difference.ts'
import { PERSON_HEADER, REASON_HEADER } from './person.ts'
import type { Schema } from './server.ts'

export interface Change {
  /** Ids by their names in the API. The first one is what the log is searched by. */
  readonly on: Readonly<Record<string, string>>
  readonly before: View
  readonly after: View
  readonly at: Date
}

/** Who asked for a change, by which call. */
export interface Author {
  /** As the request names them. */
  readonly person: string | null
  /** The key that the request showed. */
  readonly keyName: string
  /** In the transaction of the change, one statement; none when nothing differs. */
  record(tx: Tx, change: Change): Promise<void>
}

/** Who and why, as the body of a request or the options of a command say it, where they do. */
export interface Said {
  readonly person?: string | undefined
  readonly reason?: string | undefined
}

export interface ActionLog {
  /** 400 when body and header name two persons. */
  by(request: FastifyRequest, said?: Said): Author
  /** For what the console records itself: a sign-in, a sign-out, a refused password. */
  as(request: FastifyRequest, operation: string, caller: Pick<Caller, 'keyName' | 'keyHash' | 'person'>): Author
  /** Of a call that a user's site makes for the user (W-24): kept only when it names a person, who does it by hand then. */
  byUser(request: FastifyRequest): Author
  /** Newest first; of one subject, or all. */
  list(reading: Reading, query: ActionQuery, subject?: string, only?: Only): Promise<ActionPage>
}

export function createActionLog(schema: Schema): ActionLog {
  const insert = insertInto(schema)
  const by: ActionLog['by'] = (request, said = {}) => {
    const { keyName, keyHash, person: signedIn } = callerOf(request)
    const person = personOf(request, said.person, signedIn)
    const reason = request.headers[REASON_HEADER] ?? said.reason ?? null
    const author = [request.id, operationOf(request), keyName, keyHash, person, reason]
    return { person, keyName, record: (tx, change) => record(tx, insert, author, change) }
  }
  return {
    by,
    as: ({ id }, operation, { keyName, keyHash, person = null }) => {
      const author = [id, operation, keyName, keyHash, person, null]
      return { person, keyName, record: (tx, change) => record(tx, insert, author, change) }
    },
    byUser: (request) => {
      const author = by(request)
      return author.person === null ? { ...author, record: async () => {} } : author
    },
    list: (reading, query, subject, only) => listActions(reading, schema, query, subject, only),
  }
}

/** Of a command, whose user has the database and no key. */
export function authorOfCommand(schema: Schema, command: string, operation: string, said: Said = {}): Author {
  const { person = null, reason = null } = said
  const insert = insertInto(schema)
  const author = [world.uuid(), operation, command, '', person, reason]
  return { person, keyName: command, record: (tx, change) => record(tx, insert, author, change) }
}

function personOf({ headers }: FastifyRequest, named: string | undefined, signedIn: string | undefined): string | null {
  const inHeader = headers[PERSON_HEADER] as string | undefined
  if (signedIn !== undefined && (named ?? signedIn) === signedIn && (inHeader ?? signedIn) === signedIn) return signedIn
  if (signedIn !== undefined) throw invalid('/person', 'is another one than who is signed in')
  if (named !== undefined && inHeader !== undefined && named !== inHeader)
    throw invalid('/person', `is another one than that of the header ${PERSON_HEADER}`)
  return named ?? inHeader ?? null
}

function operationOf({ routeOptions }: FastifyRequest): string {
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string }
  if (operationId === undefined) throw new Error(`${routeOptions.url} has no operationId`)
  return operationId
}

function insertInto(schema: Schema) {
  return statement(
    `${schema}_insert_action`,
    `insert into ${schema}.action (request_id, operation, key_name, key_hash, person, reason, subject, ids, before, after, at)
     values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::json, $9::json, $10::json, $11::timestamptz)`,
  )
}

async function record(
  tx: Tx,
  insert: ReturnType<typeof insertInto>,
  author: readonly unknown[],
  { on, at, ...views }: Change,
): Promise<void> {
  const { before, after } = differenceBetween(views.before, views.after)
  if (Object.keys({ ...before, ...after }).length === 0) return
  const subject = Object.values(on)[0] ?? ''
  const texts = [on, before, after].map((view) => JSON.stringify(view))
  await tx.execute(insert, [...author, subject, ...texts, at])
}
