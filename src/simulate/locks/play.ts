/** What happens next, by seed: somebody asks for something, a statement is released, a connection opens, breaks or falls silent, time passes. */

import { doSomething, type Table } from './deeds.ts'
import type { PostgresProxy } from './proxy.ts'
import type { Scene } from './scene.ts'
import type { Session } from './session.ts'

/** Things that are asked for in a run. */
const DEEDS = 35
/** Calls under way at most. */
const ABREAST = 7
/** Things after which nobody asks for more until all is over: what was not answered till then has taken effect, or never will. */
const LULL_EVERY = 7
/** Milliseconds that a session may do nothing in a transaction, by the settings of hot connections (db.ts). */
const IDLE_MS = 5_000
/** Milliseconds after which the server's time-outs are looked at while time passes. */
const SLICE_MS = 50
/** Milliseconds in which all must be over when nothing goes wrong any more. */
const CALM_MS = 60_000
/** Steps of a run; a run that takes more hangs. */
const MOST_STEPS = 5_000

/** Complaints. */
export async function playAll(scene: Scene, table: Table): Promise<string[]> {
  const found: string[] = []
  let deeds = 0
  let lulls = 1
  for (let steps = 0; deeds < DEEDS; steps++) {
    if (steps > MOST_STEPS) return ['the wallets do not go on']
    found.push(...(await byServer(scene)))
    if (deeds >= lulls * LULL_EVERY && isQuiet(scene, table)) {
      scene.wire.died()
      lulls += 1
    }
    const mayAsk = table.underWay < ABREAST && deeds < lulls * LULL_EVERY
    if (mayAsk && scene.random.chance(0.25)) {
      for (let more = true; more && deeds < lulls * LULL_EVERY; more = scene.random.chance(0.4)) {
        doSomething(scene, table)
        deeds += 1
      }
    } else await somethingGoesOn(scene, true)
    await scene.rest()
  }
  scene.trace.note('from here on nothing goes wrong')
  return [...found, ...(await playOut(scene, () => table.underWay > 0))]
}

/** Without faults, until it is not so any more and no connection has anything under way. Complaints. */
export async function playOut(scene: Scene, isOn: () => boolean): Promise<string[]> {
  const found: string[] = []
  const until = scene.world.elapsed() + CALM_MS
  while (isOn() || scene.proxy.sessions().some(isAtWork)) {
    if (scene.world.elapsed() > until) return [...found, 'something is not over though nothing goes wrong']
    found.push(...(await byServer(scene)))
    await somethingGoesOn(scene, false)
    await scene.rest()
  }
  return found
}

function isQuiet({ proxy }: Scene, { underWay }: Table): boolean {
  return underWay === 0 && !proxy.sessions().some(isAtWork)
}

function isAtWork({ held, running, state, phase }: Session): boolean {
  return held.length > 0 || running !== undefined || state !== 'I' || phase === 'asking'
}

/** What the server does of its own accord. A circle of waiting in which nobody but the wallets is, is a complaint. */
async function byServer(scene: Scene): Promise<string[]> {
  const { proxy, world, trace, random } = scene
  const found: string[] = []
  for (let next = dueOf(proxy, world.elapsed()); next !== undefined; next = dueOf(proxy, world.elapsed())) {
    const { kind, session, circle } = next
    trace.note(`${session.name}: ${kind}`)
    trace.mark(kind)
    if (kind === 'a circle of waiting') {
      if (circle.every(({ name }) => name.startsWith('wallet')))
        found.push(
          `wallets wait for each other in a circle: ${circle.map(({ name, running }) => `${name} at ${running?.sent.name}`).join(', ')}`,
        )
      await proxy.giveUp(random.pick(circle), '40P01')
    } else if (kind === 'the time for a lock is over') await proxy.giveUp(session, '55P03')
    else if (kind === 'a transaction in which nothing comes is ended') await proxy.end(session, '25P03')
    else await proxy.cut(session)
    await scene.rest()
  }
  return found
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

async function somethingGoesOn(scene: Scene, mayFail: boolean): Promise<void> {
  const { proxy, world, random } = scene
  const now = world.elapsed()
  const ready = proxy.sessions().filter(({ phase, held, running, isSilent, isLeft, heldUntil }) => {
    if (phase === 'asking') return !isLeft
    return phase === 'open' && held.length > 0 && running === undefined && !isSilent && (heldUntil <= now || !mayFail)
  })
  const waiting = proxy.sessions().filter(({ phase, waitsFor }) => phase === 'open' && waitsFor.length > 0)
  if (mayFail && waiting.length > 0 && random.chance(0.01)) return cutWaiting(scene, random.pick(waiting))
  const session = ready.length > 0 && !random.chance(0.15) ? random.pick(ready) : undefined
  if (session === undefined)
    return passTime(scene, mayFail && random.chance(0.1) ? random.between(100, 3_000) : random.between(1, 30))
  if (session.phase === 'asking') return open(scene, session, mayFail)
  if (mayFail && (await goWrong(scene, session))) return
  if (session.isLeft) scene.trace.mark('a statement arrives whose client has left')
  await proxy.release(session)
  if (session.waitsFor.length > 0) {
    scene.trace.note(`${session.name} ${session.running?.sent.name}: waits for ${session.waitsFor.join(', ')}`)
    scene.trace.mark('a session was blocked')
  }
}

/** The server does not see it before it has the lock, or gives it up. */
async function cutWaiting({ proxy, trace }: Scene, session: Session): Promise<void> {
  trace.note(`${session.name} ${session.running?.sent.name}: cut while it waits for a lock`)
  trace.mark('cut while it waits for a lock')
  return proxy.cut(session)
}

async function open({ proxy, trace, random }: Scene, session: Session, mayFail: boolean): Promise<void> {
  if (!mayFail || !random.chance(0.03)) return proxy.open(session)
  trace.note(`${session.name} is not let in`)
  trace.mark('a connection is refused')
  return proxy.cut(session)
}

/** COMMITs more often: what is lost there, nobody knows. */
async function goWrong({ proxy, world, random, trace }: Scene, session: Session): Promise<boolean> {
  const { name, held } = session
  const isCommit = held[0]?.name === 'commit'
  const often = isCommit ? 5 : 1
  const note = (what: string) => {
    trace.note(`${name} ${held[0]?.name}: ${what}`)
    trace.mark(isCommit ? `${what}, of a COMMIT` : what)
  }
  if (random.chance(0.004 * often)) {
    note('cut before it arrives')
    await proxy.cut(session)
  } else if (random.chance(0.006 * often)) {
    note('cut before its answer arrives')
    await proxy.release(session, true)
  } else if (random.chance(0.003)) {
    note('the connection falls silent')
    session.isSilent = true
  } else if (random.chance(0.01)) {
    note('delayed')
    session.heldUntil = world.elapsed() + random.pick([300, 700, 2_600, 6_000])
  } else return false
  return true
}

async function passTime(scene: Scene, milliseconds: number): Promise<void> {
  const { world, proxy } = scene
  const until = world.elapsed() + milliseconds
  while (world.elapsed() < until && dueOf(proxy, world.elapsed()) === undefined) {
    const next = Math.min(until, world.elapsed() + SLICE_MS)
    while (await world.step(next));
    await scene.rest()
  }
}
