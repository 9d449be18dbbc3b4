/** People who sign in by name (U-4): made, given a new password and ended by an admin; each changes their own password. */
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { type Admission, CHANGE_PASSWORD } from '../http/admission.ts'
import { callerOf, ROLES, type Role } from '../http/caller.ts'
import { conflict, invalid, notFound, Problem } from '../http/problem.ts'
import { placeOf } from '../http/strangers.ts'
import { isObject } from '../protocol/json.ts'
import type { ActionLog } from './actions.ts'
import type { ConsolePersons } from './console-people.ts'
import type { ConsoleSessions } from './console-session.ts'
import { KEY_NAME_PATTERN } from './key-store.ts'
import { PASSWORD_MAX, passwordFault } from './password.ts'

interface Deps {
  readonly admission: Admission
  readonly sessions: ConsoleSessions
  readonly actions: ActionLog
  readonly persons: ConsolePersons
}

export function addPeopleRoutes(console: FastifyInstance, { admission, sessions, actions, persons }: Deps): void {
  /** As the action log names what is done; the routes are the console's own and in no API reference. */
  const by = (role: Role, operationId: string) => ({
    ...{ onRequest: admission.admit, config: { role } },
    schema: { operationId, hide: true } as FastifySchema,
  })
  console.get('/people', by('admin', 'listConsolePeople'), async () => {
    const rows = await persons.list()
    return {
      data: rows.map(({ name, role, made_at, used_at, is_live, is_locked, must_change }) => ({
        ...{ name, role, madeAt: made_at.toISOString(), live: is_live, locked: is_locked, mustChange: must_change },
        ...(used_at && { lastUsedAt: used_at.toISOString() }),
      })),
    }
  })
  console.post('/people', by('admin', 'makeConsolePerson'), async (request, reply) => {
    const [name, role] = [nameIn(textIn(request.body, 'name')), roleIn(request.body)]
    const password = await persons.make(actions.by(request), name, role)
    if (password === undefined) throw conflict('person_exists', 'this name has been given: choose another one')
    return reply.code(201).send({ name, role, password })
  })
  console.post('/people/:name/password', by('admin', 'resetConsolePassword'), async (request) => {
    const name = nameIn(pathName(request))
    const password = await persons.reset(actions.by(request), name)
    if (password === undefined) throw notFound('the person')
    return { name, password }
  })
  console.delete('/people/:name', by('admin', 'endConsolePerson'), async (request, reply) => {
    if (!(await persons.end(actions.by(request), nameIn(pathName(request))))) throw notFound('the person')
    return reply.code(204).send()
  })
  console.post('/password', by('read', CHANGE_PASSWORD), async (request, reply) => {
    const { person } = callerOf(request)
    if (person === undefined) throw new Problem(403, 'forbidden', 'a key has no password')
    const wanted = textIn(request.body, 'next') ?? ''
    const password = textIn(request.body, 'password') ?? ''
    const fault = passwordFault(wanted, person, password)
    if (fault !== undefined) throw invalid('/next', fault)
    const known = await persons.find({
      ...{ name: person, password, address: placeOf(request.source) },
      author: actions.as(request, 'refuseSignIn', callerOf(request)),
      ready: () => admission.beforeGuess(request),
    })
    const changed = known && (await persons.change(actions.by(request), known, wanted))
    const begun = changed && (await sessions.beginFor(changed))
    if (begun === undefined)
      throw new Problem(403, 'wrong_password', 'this is not the password, or it is locked for a while')
    return reply.header('set-cookie', sessions.cookie(request, begun.token)).code(204).send()
  })
}

export function textIn(body: unknown, name: string): string | undefined {
  const value = isObject(body) ? body[name] : undefined
  return typeof value === 'string' && value.length <= PASSWORD_MAX ? value : undefined
}

function pathName({ params }: FastifyRequest): string {
  return (params as { name: string }).name
}

function nameIn(name: string | undefined): string {
  if (name === undefined || !new RegExp(KEY_NAME_PATTERN).test(name))
    throw invalid('/name', `must match ${KEY_NAME_PATTERN}`)
  return name
}

function roleIn(body: unknown): Role {
  const role = textIn(body, 'role')
  const known = ROLES.find((one) => one === role)
  if (known === undefined) throw invalid('/role', `must be one of ${ROLES.join(', ')}`)
  return known
}
