/** What happens next: time passes, what is due goes on, and the server does what is its own to do about those that wait. */

import type { PostgresProxy } from './proxy.ts'
import type { Scene } from './scene.ts'
import type { Session } from './session.ts'

/** Milliseconds that a session may do nothing in a transaction, by the settings of hot connections (db.ts). */
const IDLE_MS = 5_000
/** Milliseconds after which the server's time-outs are looked at while time passes. */
const SLICE_MS = 50

/** Lets the time pass until it is so. False: it is not after so many milliseconds. */
export async function until(scene: Scene, isSo: () => boolean, milliseconds: number): Promise<boolean> {
  const { world } = scene
  const end = world.elapsed() + milliseconds
  while (!isSo() && world.elapsed() < end) {
    await world.step(Math.min(end, world.elapsed() + SLICE_MS))
    await settle(scene)
  }
  return isSo()
}

/** All that is due now. */
export async function settle(scene: Scene): Promise<void> {
  do await scene.rest()
  while ((await work(scene)) || (await scene.releases.goOn()) || (await byServer(scene)))
}

async function work({ works }: Scene): Promise<boolean> {
  const next = works.shift()
  await next?.()
  return next !== undefined
}

/** A wallet, or a person at its database, has something under way at Postgres. */
export function isAtWork({ proxy }: Pick<Scene, 'proxy'>): boolean {
  return proxy
    .sessions()
    .some(
      ({ party, held, running, state, phase }) =>
        party !== 'platform' && (held.length > 0 || running !== undefined || state !== 'I' || phase === 'asking'),
    )
}

/** What the server does of its own accord. A circle of waiting in which nobody but the wallets is, is a complaint. False: nothing. */
async function byServer(scene: Scene): Promise<boolean> {
  const { proxy, world, trace, complaints } = scene
  const next = dueOf(proxy, world.elapsed())
  if (next === undefined) return false
  const { kind, session, circle } = next
  trace.note(`${session.name}: ${kind}`)
  trace.mark(kind)
  if (kind === 'a circle of waiting') {
    if (circle.every(({ party }) => party.startsWith('wallet')))
      complaints.push(`wallets wait for each other in a circle: ${shown(circle)}`)
    await proxy.giveUp(scene.random(`circle at ${world.elapsed()}`).pick(circle), '40P01')
  } else if (kind === 'the time for a lock is over') await proxy.giveUp(session, '55P03')
  else if (kind === 'a transaction in which nothing comes is ended') await proxy.end(session, '25P03')
  else await proxy.cut(session)
  return true
}

function shown(circle: readonly Session[]): string {
  return circle.map(({ name, running }) => `${name} at ${running?.sent.name}`).join(', ')
}

interface Due {
  readonly kind:
    | 'a circle of waiting'
    | 'the time for a lock is over'
    | 'a transaction in which nothing comes is ended'
    | 'a client has left'
  readonly session: Session
  readonly circle: readonly Session[]
}

function dueOf(proxy: PostgresProxy, now: number): Due | undefined {
  const sessions = proxy.sessions()
  for (const session of sessions) {
    const { isLeft, isSilent, phase, running, held, waitsFor, lockMs, since, state } = session
    const circle = waitsFor.length > 0 ? circleFrom(session, sessions) : []
    if (circle.length > 0) return { kind: 'a circle of waiting', session, circle }
    if (waitsFor.length > 0 && lockMs > 0 && now - since >= lockMs)
      return { kind: 'the time for a lock is over', session, circle }
    const isIdle = running === undefined && phase === 'open'
    if (isIdle && state !== 'I' && now - since >= IDLE_MS)
      return { kind: 'a transaction in which nothing comes is ended', session, circle }
    const isDone = isLeft && (phase === 'asking' || (isIdle && (held.length === 0 || isSilent)))
    if (isDone && (!isSilent || state === 'I')) return { kind: 'a client has left', session, circle }
  }
  return undefined
}

/** Those that wait for each other, if this one is among them. */
function circleFrom(first: Session, all: readonly Session[]): Session[] {
  const find = (session: Session, path: readonly Session[]): readonly Session[] | undefined => {
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
