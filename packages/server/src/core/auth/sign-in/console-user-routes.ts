/**
 * Routes of the users who sign in by name (U-4). Admins create and remove users and set new
 * passwords; users change their own password.
 */

import { isObject } from '@purser/protocol/values/exact-json'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { type Authenticator, CHANGE_PASSWORD } from '../../http/api/authentication.ts'
import { principalOf, ROLES, type Role } from '../../http/api/principal.ts'
import { conflict, invalid, notFound, Problem } from '../../http/api/problem-details.ts'
import { addressPrefix } from '../../http/auth-throttle.ts'
import { KEY_NAME_PATTERN } from '../api-key-store.ts'
import type { AuditLog } from '../audit-log/audit-log.ts'
import type { ConsoleSessions } from './console-session.ts'
import type { ConsoleUsers } from './console-users.ts'
import { findPasswordFault, PASSWORD_MAX } from './password.ts'

interface Deps {
  readonly admission: Authenticator
  readonly sessions: ConsoleSessions
  readonly actions: AuditLog
  readonly persons: ConsoleUsers
}

export function addConsoleUserRoutes(console: FastifyInstance, { admission, sessions, actions, persons }: Deps): void {
  /** The operation id is for the audit log only: no API reference contains these routes. */
  const by = (role: Role, operationId: string) => ({
    ...{ onRequest: admission.authenticate, config: { role } },
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
    const [name, role] = [requireUserName(readTextField(request.body, 'name')), requireRole(request.body)]
    const password = await persons.make(actions.actorOf(request), name, role)
    if (password === undefined) throw conflict('person_exists', 'this name exists: choose another one')
    return reply.code(201).send({ name, role, password })
  })
  console.post('/people/:name/password', by('admin', 'resetConsolePassword'), async (request) => {
    const name = requireUserName(readPathName(request))
    const password = await persons.reset(actions.actorOf(request), name)
    if (password === undefined) throw notFound('the person')
    return { name, password }
  })
  console.delete('/people/:name', by('admin', 'endConsolePerson'), async (request, reply) => {
    if (!(await persons.end(actions.actorOf(request), requireUserName(readPathName(request)))))
      throw notFound('the person')
    return reply.code(204).send()
  })
  console.post('/password', by('read', CHANGE_PASSWORD), async (request, reply) => {
    const { person } = principalOf(request)
    if (person === undefined) throw new Problem(403, 'forbidden', 'an API key has no password: sign in with a name')
    const nextPassword = readTextField(request.body, 'next') ?? ''
    const password = readTextField(request.body, 'password') ?? ''
    const fault = findPasswordFault(nextPassword, person, password)
    if (fault !== undefined) throw invalid('/next', fault)
    const known = await persons.find({
      ...{ name: person, password, address: addressPrefix(request.source) },
      actor: actions.actorFor(request, 'refuseSignIn', principalOf(request)),
      ready: () => admission.waitForNextAttempt(request),
    })
    const changed = known && (await persons.change(actions.actorOf(request), known, nextPassword))
    const session = changed && (await sessions.beginForUser(changed))
    if (session === undefined)
      throw new Problem(
        403,
        'wrong_password',
        'the password is wrong, or the name is locked for a while: check the password, or try again later',
      )
    return reply.header('set-cookie', sessions.cookie(request, session.token)).code(204).send()
  })
}

export function readTextField(body: unknown, name: string): string | undefined {
  const value = isObject(body) ? body[name] : undefined
  return typeof value === 'string' && value.length <= PASSWORD_MAX ? value : undefined
}

function readPathName({ params }: FastifyRequest): string {
  return (params as { name: string }).name
}

function requireUserName(name: string | undefined): string {
  if (name === undefined || !new RegExp(KEY_NAME_PATTERN).test(name))
    throw invalid('/name', `must match ${KEY_NAME_PATTERN}`)
  return name
}

function requireRole(body: unknown): Role {
  const role = readTextField(body, 'role')
  const known = ROLES.find((one) => one === role)
  if (known === undefined) throw invalid('/role', `must be one of ${ROLES.join(', ')}`)
  return known
}
