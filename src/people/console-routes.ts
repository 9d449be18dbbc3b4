/** Signing in to the console and out again (U-2). What the console shows comes from the documented APIs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isBusy, isOutage } from '../db/errors.ts'
import type { Admission } from '../http/admission.ts'
import { CALLER, type Caller } from '../http/caller.ts'
import { busy, Problem, sendProblem, toProblem, unavailable } from '../http/problem.ts'
import type { ActionLog } from './actions.ts'
import type { ConsolePersons } from './console-people.ts'
import { addPeopleRoutes, textIn } from './console-people-routes.ts'
import { type Begun, type ConsoleSessions, isFromOurPage } from './console-session.ts'

export interface ConsoleDeps {
  readonly server: 'wallet' | 'platform'
  readonly admission: Admission
  readonly actions: ActionLog
  readonly persons: ConsolePersons
  readonly sessions: ConsoleSessions
  /** Of the sandbox: whether this request may sign in without a key, and the key that it gets then. */
  readonly sandbox?: { mayEnter(request: FastifyRequest): boolean; readonly key: string } | undefined
}

const BODY_BYTES = 4_096

export async function registerConsole(app: FastifyInstance, deps: ConsoleDeps): Promise<void> {
  const { server, admission, sessions, sandbox } = deps
  const whoAsks = async (request: FastifyRequest): Promise<Caller | undefined> => {
    const caller = await sessions.of(request)
    if (caller === 'unknown') await admission.turnAway(request, caller)
    return typeof caller === 'string' ? undefined : caller
  }
  await app.register(
    async (console) => {
      console.setErrorHandler((error: Parameters<typeof toProblem>[0], request, reply) =>
        sendProblem(reply, isOutage(error) ? unavailable : isBusy(error) ? busy : toProblem(error), request),
      )
      console.decorateRequest(CALLER)
      console.addHook('onRoute', (route) => {
        route.bodyLimit = BODY_BYTES
      })
      console.addHook('onRequest', async (request, reply) => {
        reply.header('x-request-id', request.id).header('cache-control', 'no-store')
        if (!isFromOurPage(request)) throw new Problem(403, 'forbidden', 'only the console itself asks this')
      })
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
        if ((await whoAsks(request)) !== undefined) await sessions.end(request)
        return reply.header('set-cookie', sessions.cookie(request)).code(204).send()
      })
      addPeopleRoutes(console, deps)
    },
    { prefix: '/console/api' },
  )
}

/** Always a new session, whatever cookie the request has: nobody can give a session to another person beforehand. */
async function signIn(deps: ConsoleDeps, request: FastifyRequest, reply: FastifyReply) {
  const { sessions, admission } = deps
  const begun = await begin(deps, request)
  if (begun === undefined) {
    await admission.turnAway(request, 'unknown')
    throw new Problem(401, 'unauthorized', WHY_NOT)
  }
  await sessions.end(request)
  return reply.header('set-cookie', sessions.cookie(request, begun.token)).send(show(begun.caller))
}

/** One answer to all that is wrong: it says neither which names there are, nor which are locked. */
const WHY_NOT =
  'nobody has this name and password, or this key; after some wrong passwords a name is locked for a while'

async function begin({ sessions, persons, sandbox }: ConsoleDeps, request: FastifyRequest): Promise<Begun | undefined> {
  const [name, password] = [textIn(request.body, 'name'), textIn(request.body, 'password')]
  if (name !== undefined && password !== undefined) {
    const person = await persons.find(name, password)
    return person && sessions.beginFor(person)
  }
  const key = textIn(request.body, 'key')?.trim() ?? (sandbox?.mayEnter(request) ? sandbox.key : undefined)
  return key === undefined ? undefined : sessions.begin(key)
}

function show({ keyName, role, person }: Caller) {
  return { name: keyName, role, isPerson: person !== undefined }
}
