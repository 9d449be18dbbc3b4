/**
 * Routes of the console for sign-in and sign-out (U-2). All other data comes from the public APIs.
 */

import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '../../database/db.ts'
import { sendErrorsAsProblems } from '../../http/api/api.ts'
import type { Authenticator } from '../../http/api/authentication.ts'
import { CALLER, type Principal } from '../../http/api/principal.ts'
import { Problem } from '../../http/api/problem-details.ts'
import { refuseUnstorable } from '../../http/api/storable-text.ts'
import { addressPrefix } from '../../http/auth-throttle.ts'
import { addStrictJsonParser } from '../../http/strict-json-parser.ts'
import type { ApiMetrics } from '../../observability/api-metrics.ts'
import type { AuditLog } from '../audit-log/audit-log.ts'
import { type ConsoleSessions, isFromConsolePage, type StartedConsoleSession } from './console-session.ts'
import { addConsoleUserRoutes, readTextField } from './console-user-routes.ts'
import type { ConsoleUsers } from './console-users.ts'
import type { SignInMetrics } from './sign-in-metrics.ts'

export interface ConsoleDeps {
  readonly server: 'wallet' | 'platform'
  readonly admission: Authenticator
  readonly actions: AuditLog
  readonly persons: ConsoleUsers
  readonly sessions: ConsoleSessions
  readonly signIns: SignInMetrics
  readonly log: Logger
  readonly calls: ApiMetrics
  /**
   * Present in the sandbox: decides if a request may sign in without a key, and has the key that it
   * then gets (U-3).
   */
  readonly sandbox?: { mayEnter(request: FastifyRequest): boolean; readonly key: string } | undefined
}

const BODY_BYTES = 4_096

export async function registerConsole(app: FastifyInstance, deps: ConsoleDeps): Promise<void> {
  const { server, admission, sessions, sandbox, log, calls } = deps
  const findCaller = async (request: FastifyRequest): Promise<Principal | undefined> => {
    const caller = await sessions.authenticate(request)
    if (caller === 'unknown') await admission.reject(request, caller)
    return typeof caller === 'string' ? undefined : caller
  }
  await app.register(
    async (console) => {
      sendErrorsAsProblems(console, log)
      addStrictJsonParser(console)
      console.decorateRequest(CALLER)
      console.decorateRequest('span', undefined)
      console.addHook('onRoute', (route) => {
        route.bodyLimit = BODY_BYTES
      })
      console.addHook('onRequest', async (request, reply) => {
        calls.recordStart(request)
        reply.header('x-request-id', request.id).header('cache-control', 'no-store')
        reply.header('x-content-type-options', 'nosniff')
        if (!isFromConsolePage(request))
          throw new Problem(403, 'forbidden', 'only the console may send this request: sign in with the console')
      })
      refuseUnstorable(console)
      console.addHook('onResponse', async (request, reply) => calls.recordAnswer(request, reply))
      console.get('/setup', async (request) => ({
        ...{ server, isSandbox: sandbox !== undefined },
        mayEnter: sandbox?.mayEnter(request) ?? false,
      }))
      console.get('/session', async (request, reply) => {
        const caller = await findCaller(request)
        return caller === undefined ? reply.code(204).send() : toSessionView(caller)
      })
      console.post('/session', async (request, reply) => signIn(deps, request, reply))
      console.delete('/session', async (request, reply) => {
        const caller = await findCaller(request)
        if (caller !== undefined) await signOut(deps, request, caller)
        return reply.header('set-cookie', sessions.cookie(request)).code(204).send()
      })
      addConsoleUserRoutes(console, deps)
    },
    { prefix: '/console/api' },
  )
}

/**
 * Always starts a new session, even if the request has a cookie. So no attacker can choose the
 * session of another user in advance (session fixation).
 */
async function signIn(deps: ConsoleDeps, request: FastifyRequest, reply: FastifyReply) {
  const { sessions, admission, signIns } = deps
  const session = await authenticate(deps, request)
  if (session === undefined) {
    await admission.reject(request, 'unknown')
    throw new Problem(401, 'unauthorized', SIGN_IN_FAILURE_TEXT)
  }
  signIns.count('signed_in')
  await sessions.end(request)
  return reply.header('set-cookie', sessions.cookie(request, session.token)).send(toSessionView(session.caller))
}

async function signOut(deps: ConsoleDeps, request: FastifyRequest, caller: Principal): Promise<void> {
  const record = (tx: Tx) => createSessionRecorder(deps, request, 'signOut')(tx, caller)
  if (await deps.sessions.end(request, record)) deps.signIns.count('signed_out')
}

/** Writes the audit entry (O-4) under the name of the user or key. */
function createSessionRecorder({ actions }: ConsoleDeps, request: FastifyRequest, operation: 'signIn' | 'signOut') {
  return (tx: Tx, caller: Principal) => {
    const on: Record<string, string> = caller.person === undefined ? { key: caller.keyName } : { person: caller.person }
    const after = { signedIn: operation === 'signIn', ip: addressPrefix(request.source) }
    const change = { on, before: {}, after, at: new Date(environment.now()) }
    return actions.actorFor(request, operation, caller).record(tx, change)
  }
}

/** The answer is the same for every fault: it reveals no existing and no locked name. */
const SIGN_IN_FAILURE_TEXT =
  'the name and password, or the key, are wrong: check them; after several wrong passwords a name is locked for a while'

/** The actor of a rejected sign-in, which has no key and no user. */
const NO_CALLER = { keyName: 'console', keyHash: '' }

async function authenticate(deps: ConsoleDeps, request: FastifyRequest): Promise<StartedConsoleSession | undefined> {
  const { sessions, persons, sandbox, actions, admission } = deps
  const record = createSessionRecorder(deps, request, 'signIn')
  const [name, password] = [readTextField(request.body, 'name'), readTextField(request.body, 'password')]
  if (name !== undefined && password !== undefined) {
    const person = await persons.find({
      ...{ name, password, address: addressPrefix(request.source) },
      actor: actions.actorFor(request, 'refuseSignIn', NO_CALLER),
      ready: () => admission.waitForNextAttempt(request),
    })
    return person && sessions.beginForUser(person, record)
  }
  const key = readTextField(request.body, 'key')?.trim() ?? (sandbox?.mayEnter(request) ? sandbox.key : undefined)
  return key === undefined ? undefined : sessions.begin(key, record)
}

function toSessionView({ keyName, role, person, mustChange }: Principal) {
  return { name: keyName, role, isPerson: person !== undefined, ...(mustChange && { mustChange }) }
}
