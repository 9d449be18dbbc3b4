/** Signing in to the console and out again (U-2). What the console shows comes from the documented APIs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isBusy, isOutage } from '../db/errors.ts'
import type { Caller } from '../http/caller.ts'
import { busy, Problem, sendProblem, toProblem, unavailable } from '../http/problem.ts'
import type { Strangers } from '../http/strangers.ts'
import { type ConsoleSessions, isFromOurPage } from './console-session.ts'

export interface ConsoleDeps {
  readonly server: 'wallet' | 'platform'
  readonly sessions: ConsoleSessions
  readonly strangers: Strangers
  /** Of the sandbox: whether this request may sign in without a key, and the key that it gets then. */
  readonly sandbox?: { mayEnter(request: FastifyRequest): boolean; readonly key: string } | undefined
}

const BODY_BYTES = 4_096

export async function registerConsole(app: FastifyInstance, deps: ConsoleDeps): Promise<void> {
  const { server, sessions, sandbox } = deps
  await app.register(
    async (console) => {
      console.setErrorHandler((error: Parameters<typeof toProblem>[0], request, reply) =>
        sendProblem(reply, isOutage(error) ? unavailable : isBusy(error) ? busy : toProblem(error), request),
      )
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
        const caller = await sessions.of(request)
        return caller === undefined ? reply.code(204).send() : show(caller)
      })
      console.post('/session', async (request, reply) => signIn(deps, request, reply))
      console.delete('/session', async (request, reply) => {
        await sessions.end(request)
        return reply.header('set-cookie', sessions.cookie(request)).code(204).send()
      })
    },
    { prefix: '/console/api' },
  )
}

/** Always a new session, whatever cookie the request has: nobody can give a session to another person beforehand. */
async function signIn({ sessions, strangers, sandbox }: ConsoleDeps, request: FastifyRequest, reply: FastifyReply) {
  const given = keyIn(request.body)
  const key = given ?? (sandbox?.mayEnter(request) ? sandbox.key : undefined)
  const begun = key === undefined ? undefined : await sessions.begin(key)
  if (begun === undefined) {
    await strangers.hold(strangers.note(request.ip))
    throw new Problem(401, 'unauthorized', 'nobody has this key')
  }
  await sessions.end(request)
  return reply.header('set-cookie', sessions.cookie(request, begun.token)).send(show(begun.caller))
}

function keyIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('key' in body)) return undefined
  return typeof body.key === 'string' ? body.key.trim() : undefined
}

function show({ keyName, role }: Caller) {
  return { name: keyName, role }
}
