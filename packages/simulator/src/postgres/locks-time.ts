/**
 * Advances the virtual time of a run. At each time the due work comes first, then the time-outs and
 * deadlocks of Postgres.
 */

import type { LocksHarness } from './locks-harness.ts'
import type { PostgresProxy } from './wire/postgres-proxy.ts'
import type { PostgresSession } from './wire/postgres-session.ts'

/** The limit of idle time in a transaction, as hot connections set it (db.ts). */
const IDLE_MS = 5_000
/** The server's time-outs are checked this often. */
const SLICE_MS = 50

/** False if the condition is not true after these milliseconds. */
export async function passTimeUntil(
  harness: LocksHarness,
  isSo: () => boolean,
  milliseconds: number,
): Promise<boolean> {
  const { world } = harness
  const end = world.elapsed() + milliseconds
  while (!isSo() && world.elapsed() < end) {
    await world.step(Math.min(end, world.elapsed() + SLICE_MS))
    await runUntilSettled(harness)
  }
  return isSo()
}

export async function runUntilSettled(harness: LocksHarness): Promise<void> {
  do await harness.rest()
  while ((await runNextWork(harness)) || (await harness.releases.releaseNext()) || (await actAsServer(harness)))
}

async function runNextWork({ works }: LocksHarness): Promise<boolean> {
  const next = works.shift()
  await next?.()
  return next !== undefined
}

/** True if a wallet or the manual locks have work in progress. */
export function isDatabaseBusy({ proxy }: Pick<LocksHarness, 'proxy'>): boolean {
  return proxy
    .sessions()
    .some(
      ({ party, held, running, state, phase }) =>
        party !== 'platform' && (held.length > 0 || running !== undefined || state !== 'I' || phase === 'connecting'),
    )
}

/** The server's own actions; false if none is due. A deadlock of wallets alone is a complaint. */
async function actAsServer(harness: LocksHarness): Promise<boolean> {
  const { proxy, world, trace, complaints } = harness
  const next = findServerAction(proxy, world.elapsed())
  if (next === undefined) return false
  const { kind, session, circle: cycle } = next
  trace.note(`${session.name}: ${kind}`)
  trace.mark(kind)
  if (kind === 'a circle of waiting') {
    if (cycle.every(({ party }) => party.startsWith('wallet')))
      complaints.push(`wallets wait for each other in a circle: ${formatCycle(cycle)}`)
    await proxy.giveUp(harness.random(`circle at ${world.elapsed()}`).pick(cycle), '40P01')
  } else if (kind === 'the time for a lock is over') await proxy.giveUp(session, '55P03')
  else if (kind === 'a transaction in which nothing comes is ended') await proxy.end(session, '25P03')
  else await proxy.cut(session)
  return true
}

function formatCycle(cycle: readonly PostgresSession[]): string {
  return cycle.map(({ name, running }) => `${name} at ${running?.sent.name}`).join(', ')
}

interface ServerAction {
  readonly kind:
    | 'a circle of waiting'
    | 'the time for a lock is over'
    | 'a transaction in which nothing comes is ended'
    | 'a client has left'
  readonly session: PostgresSession
  readonly circle: readonly PostgresSession[]
}

function findServerAction(proxy: PostgresProxy, now: number): ServerAction | undefined {
  const sessions = proxy.sessions()
  for (const session of sessions) {
    const { isLeft, isSilent, phase, running, held, waitsFor, lockMs, since, state } = session
    const cycle = waitsFor.length > 0 ? findWaitCycle(session, sessions) : []
    if (cycle.length > 0) return { kind: 'a circle of waiting', session, circle: cycle }
    if (waitsFor.length > 0 && lockMs > 0 && now - since >= lockMs)
      return { kind: 'the time for a lock is over', session, circle: cycle }
    const isIdle = running === undefined && phase === 'open'
    if (isIdle && state !== 'I' && now - since >= IDLE_MS)
      return { kind: 'a transaction in which nothing comes is ended', session, circle: cycle }
    const isDone = isLeft && (phase === 'connecting' || (isIdle && (held.length === 0 || isSilent)))
    if (isDone && (!isSilent || state === 'I')) return { kind: 'a client has left', session, circle: cycle }
  }
  return undefined
}

/** The sessions of a deadlock with this one; empty without a deadlock. */
function findWaitCycle(first: PostgresSession, all: readonly PostgresSession[]): PostgresSession[] {
  const find = (session: PostgresSession, path: readonly PostgresSession[]): readonly PostgresSession[] | undefined => {
    for (const other of all.filter(({ name }) => session.waitsFor.includes(name))) {
      if (other === first) return path
      if (path.includes(other)) continue
      const found = find(other, [...path, other])
      if (found !== undefined) return found
    }
    return undefined
  }
  return [...(find(first, [first]) ?? [])]
}
