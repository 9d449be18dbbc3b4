/**
 * When what clients send to Postgres goes on, and what becomes of it: each statement has a fate of its own, by its party, its name and its number
 * ("wallet 1 gate_lock #3"). So the order in which two sessions come to the same row is a matter of single choices, which can be kept in a
 * file, and taken out of it.
 */
import type { Random } from '../../runtime/random.ts'
import type { Choices, Fate } from '../market/choices.ts'
import { counter } from '../market/network.ts'
import type { Trace } from '../market/trace.ts'
import type { VirtualWorld } from '../market/virtual-world.ts'
import type { Sent } from './messages.ts'
import type { PostgresProxy } from './proxy.ts'
import type { Session } from './session.ts'

export interface Releases {
  /** A statement, or, without one, a connection that asks to be opened. */
  arrives(session: Session, sent?: Sent): void
  /** The next that is due. False: there is none. */
  goOn(): Promise<boolean>
  /** Whether anything may go wrong from here on. What has been held until then goes on. */
  allow(faults: boolean): void
  areAllowed(): boolean
}

interface Deps {
  readonly world: Pick<VirtualWorld, 'after'>
  readonly choices: Pick<Choices, 'fate'>
  readonly random: Random
  readonly trace: Trace
  readonly proxy: Pick<PostgresProxy, 'open' | 'release' | 'cut'>
  /** Told of each statement that has to wait for a lock. */
  blocked(session: Session, statement: string): void
}

interface Held {
  readonly session: Session
  readonly sent: Sent | undefined
  fate: Fate
  isDue: boolean
}

const COMMIT = 'commit'
const REFUSED = 'a connection is refused'
const CUT_BEFORE = 'cut before it arrives'
const CUT_BEHIND = 'cut before its answer arrives'
const CUT_WAITING = 'cut while it waits for a lock'
const SILENT = 'the connection falls silent'
const DELAYED = 'delayed'

const PLAIN: Fate = { name: '', arrivals: [1], back: 0 }

export function createReleases(deps: Deps): Releases {
  const { world, choices, random } = deps
  const all = new Set<Held>()
  const due: Held[] = []
  const toBeCut: Session[] = []
  const counted = counter()
  let areFaults = false
  const make = (held: Held) => {
    if (held.isDue) return
    held.isDue = true
    all.delete(held)
    due.push(held)
  }
  return {
    arrives(session, sent) {
      const name = counted(`${session.party} ${sent?.name ?? 'connects'}`)
      const fate = areFaults ? choices.fate(name, () => drawFate(random, sent)) : PLAIN
      const held = { session, sent, fate, isDue: false }
      all.add(held)
      world.after(fate.arrivals[0] ?? fate.breaks?.after ?? 0, () => make(held))
    },
    async goOn() {
      const cut = toBeCut.shift()
      if (cut !== undefined && areFaults) return cutWaiting(deps, cut)
      due.splice(0, due.length, ...due.filter((held) => !isGone(held)))
      const next = due.find(isNext)
      if (next === undefined) return false
      due.splice(due.indexOf(next), 1)
      await act(deps, next)
      const { breaks } = next.fate
      if (breaks !== undefined && next.session.waitsFor.length > 0)
        world.after(breaks.after, () => void toBeCut.push(next.session))
      return true
    },
    allow(faults) {
      areFaults = faults
      if (faults) return
      for (const held of [...due, ...all]) held.fate = PLAIN
      for (const held of all) make(held)
    },
    areAllowed: () => areFaults,
  }
}

async function act({ trace, proxy, blocked }: Deps, { session, sent, fate }: Held): Promise<void> {
  if (fate.name !== '' && fate.name !== CUT_WAITING) {
    trace.note(`${session.name} ${sent?.name ?? ''}: ${fate.name}`)
    trace.mark(sent?.name === COMMIT ? `${fate.name}, of a COMMIT${ofPlatform(session)}` : fate.name)
  }
  if (fate.name === REFUSED || fate.name === CUT_BEFORE) return proxy.cut(session)
  if (sent === undefined) return proxy.open(session)
  if (fate.name === SILENT) {
    session.isSilent = true
    return
  }
  if (session.isLeft) trace.mark('a statement arrives whose client has left')
  await proxy.release(session, fate.name === CUT_BEHIND)
  if (session.waitsFor.length === 0) return
  trace.note(`${session.name} ${sent.name}: waits for ${session.waitsFor.join(', ')}`)
  blocked(session, sent.name)
}

/** What is lost there, is lost in other books. */
function ofPlatform({ party }: Session): string {
  return party === 'platform' ? ' of the platform' : ''
}

/** The server does not see it before it has the lock, or gives it up. */
async function cutWaiting({ trace, proxy }: Deps, session: Session): Promise<true> {
  if (session.waitsFor.length === 0 || session.phase !== 'open') return true
  trace.note(`${session.name} ${session.running?.sent.name}: ${CUT_WAITING}`)
  trace.mark(CUT_WAITING)
  await proxy.cut(session)
  return true
}

function isNext({ session, sent }: Held): boolean {
  if (sent === undefined) return true
  return session.held[0] === sent && session.running === undefined && session.phase === 'open'
}

/** Nobody waits for it any more, or it is lost. */
function isGone({ session, sent }: Held): boolean {
  if (sent === undefined) return session.phase !== 'asking' || session.isLeft
  return session.isSilent || session.phase === 'over' || session.phase === 'closing' || !session.held.includes(sent)
}

/** COMMITs go wrong more often: what is lost there, nobody knows. `sent`: undefined for a connection. */
function drawFate(random: Random, sent: Sent | undefined): Fate {
  const after = random.between(1, 14)
  const drawn = random.below(1_000)
  if (sent === undefined)
    return drawn < 30 ? { name: REFUSED, arrivals: [], breaks: { after, proxy: false } } : plainly(after)
  const often = sent.name === COMMIT ? 5 : 1
  if (drawn < 4 * often) return { name: CUT_BEFORE, arrivals: [], breaks: { after, proxy: false } }
  if (drawn < 10 * often) return { name: CUT_BEHIND, arrivals: [after] }
  if (drawn < 10 * often + 3) return { name: SILENT, arrivals: [after] }
  if (drawn < 10 * often + 15)
    return { name: DELAYED, arrivals: [random.pick([100, 300, 700, 1_500, 2_600, 6_000])], back: 0 }
  if (drawn < 10 * often + 35)
    return { name: CUT_WAITING, arrivals: [after], back: 0, breaks: { after: random.between(20, 400), proxy: false } }
  return plainly(after)
}

function plainly(after: number): Fate {
  return { name: '', arrivals: [after], back: 0 }
}
