/**
 * The audit entry of a new player session costs one SQL statement but no additional round trip.
 * Sessions start at each log-in, so this cost matters.
 */
import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Actor, createAuditLog } from '../../src/core/auth/audit-log/audit-log.ts'
import { createSession } from '../../src/wallet/operator-api/players/player-sessions.ts'
import { writesDuring } from '../support/socket-writes.ts'
import { ANY_ACTOR, type BatchScene, elsewhere, openScene, seat } from '../wallet/call-batch-scene.ts'

let scene: BatchScene

beforeAll(async () => {
  scene = await openScene()
  await seat(scene, 'ann', '10.00')
})
afterAll(() => scene.close())

/** The author of one call, as a route makes it. */
function maria(): Actor {
  const caller = { keyName: 'OPERATOR_API_KEY', keyHash: 'abcdef01', role: 'admin' }
  const routeOptions = { schema: { operationId: 'startSession' } }
  const request = { id: crypto.randomUUID(), headers: {}, routeOptions, getDecorator: () => caller }
  return createAuditLog('purser').actorOf(request as unknown as FastifyRequest, { person: 'maria' })
}

const start = (author: Actor) => createSession(elsewhere(scene), author, 'ann', undefined)
const actions = () => scene.read("select person from purser.action where operation = 'startSession'")

test('a session start costs one write each for the lock, the session with its action, and COMMIT', async () => {
  await start(maria()) // prepares the statements
  expect(await writesDuring(() => start(ANY_ACTOR))).toBe(3)
  expect(await writesDuring(() => start(maria()))).toBe(3)
  expect(await actions()).toEqual([{ person: 'maria' }, { person: 'maria' }])
})
