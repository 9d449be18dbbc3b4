/** Signing in to the console and out again (U-2). What the console shows comes from the documented APIs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '../db/db.ts'
import type { Admission } from '../http/admission.ts'
import { answerErrors } from '../http/api.ts'
import type { ApiCalls } from '../http/api-calls.ts'
import { acceptJson } from '../http/as-sent.ts'
import { CALLER, type Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { refuseUnstorable } from '../http/storable.ts'
import { placeOf } from '../http/strangers.ts'
import type { Logger } from '../runtime/logger.ts'
import { world } from '../runtime/world.ts'
import type { ActionLog } from './actions.ts'
import type { ConsolePersons } from './console-people.ts'
import { addPeopleRoutes, textIn } from './console-people-routes.ts'
import { type Begun, type ConsoleSessions, isFromOurPage } from './console-session.ts'
import type { SignInCounts } from './sign-in-counts.ts'

export interface ConsoleDeps {
  readonly server: 'wallet' | 'platform'
  readonly admission: Admission
  readonly actions: ActionLog
  readonly persons: ConsolePersons
  readonly sessions: ConsoleSessions
  readonly signIns: SignInCounts
  readonly log: Logger
  readonly calls: ApiCalls
  /** Of the sandbox: whether this request may sign in without a key, and the key that it gets then. */
  readonly sandbox?: { mayEnter(request: FastifyRequest): boolean; readonly key: string } | undefined
}

const BODY_BYTES = 4_096

export async function registerConsole(app: FastifyInstance, deps: ConsoleDeps): Promise<void> {
  const { server, admission, sessions, sandbox, log, calls } = deps
  const whoAsks = async (request: FastifyRequest): Promise<Caller | undefined> => {
    const caller = await sessions.of(request)
    if (caller === 'unknown') await admission.turnAway(request, caller)
    return typeof caller === 'string' ? undefined : caller
  }
  await app.register(
    async (console) => {
      answerErrors(console, log)
      acceptJson(console)
      console.decorateRequest(CALLER)
      console.decorateRequest('span', undefined)
      console.addHook('onRoute', (route) => {
        route.bodyLimit = BODY_BYTES
      })
      console.addHook('onRequest', async (request, reply) => {
        calls.begun(request)
        reply.header('x-request-id', request.id).header('cache-control', 'no-store')
        reply.header('x-content-type-options', 'nosniff')
        if (!isFromOurPage(request)) throw new Problem(403, 'forbidden', 'only the console itself asks this')
      })
      refuseUnstorable(console)
      console.addHook('onResponse', async (request, reply) => calls.answered(request, reply))
      console.get('/setup', async (request) => ({
        ...{ server, isSandbox: sandbox !== undefined },
        mayEnter: sandbox?.mayEnter(request) ?? false,
      }))
      console.get('/session', async (request, reply) => {
        const caller = await whoAsks(request)
        return caller === undefined ? reply.code(204).send() : show(caller)
      })
      console.post('/session', async (request, reply) => signIn(deps, request, reply))
      console.delete('/session', async (request, reply) => {
        const caller = await whoAsks(request)
        if (caller !== undefined) await signOut(deps, request, caller)
        return reply.header('set-cookie', sessions.cookie(request)).code(204).send()
      })
      addPeopleRoutes(console, deps)
    },
    { prefix: '/console/api' },
  )
}

/** Always a new session, whatever cookie the request has: nobody can give a session to another person beforehand. */
async function signIn(deps: ConsoleDeps, request: FastifyRequest, reply: FastifyReply) {
  const { sessions, admission, signIns } = deps
  const begun = await begin(deps, request)
  if (begun === undefined) {
    await admission.turnAway(request, 'unknown')
    throw new Problem(401, 'unauthorized', WHY_NOT)
  }
  signIns.count('signed_in')
  await sessions.end(request)
  return reply.header('set-cookie', sessions.cookie(request, begun.token)).send(show(begun.caller))
}

async function signOut(deps: ConsoleDeps, request: FastifyRequest, caller: Caller): Promise<void> {
  const record = (tx: Tx) => recordOf(deps, request, 'signOut')(tx, caller)
  if (await deps.sessions.end(request, record)) deps.signIns.count('signed_out')
}

/** Writes the row of the action log (O-4), under the name of the person or key. */
function recordOf({ actions }: ConsoleDeps, request: FastifyRequest, operation: 'signIn' | 'signOut') {
  return (tx: Tx, caller: Caller) => {
    const on: Record<string, string> = caller.person === undefined ? { key: caller.keyName } : { person: caller.person }
    const after = { signedIn: operation === 'signIn', ip: placeOf(request.source) }
    const change = { on, before: {}, after, at: new Date(world.wall()) }
    return actions.as(request, operation, caller).record(tx, change)
  }
}

/** One answer to all that is wrong: it says neither which names there are, nor which are locked. */
const WHY_NOT =
  'nobody has this name and password, or this key; after some wrong passwords a name is locked for a while'

/** The author of a refusal at the sign-in: it shows no key and no person. */
const NO_CALLER = { keyName: 'console', keyHash: '' }

async function begin(deps: ConsoleDeps, request: FastifyRequest): Promise<Begun | undefined> {
  const { sessions, persons, sandbox, actions, admission } = deps
  const record = recordOf(deps, request, 'signIn')
  const [name, password] = [textIn(request.body, 'name'), textIn(request.body, 'password')]
  if (name !== undefined && password !== undefined) {
    const person = await persons.find({
      ...{ name, password, address: placeOf(request.source) },
      author: actions.as(request, 'refuseSignIn', NO_CALLER),
      ready: () => admission.beforeGuess(request),
    })
    return person && sessions.beginFor(person, record)
  }
  const key = textIn(request.body, 'key')?.trim() ?? (sandbox?.mayEnter(request) ? sandbox.key : undefined)
  return key === undefined ? undefined : sessions.begin(key, record)
}

function show({ keyName, role, person, mustChange }: Caller) {
  return { name: keyName, role, isPerson: person !== undefined, ...(mustChange && { mustChange }) }
}
