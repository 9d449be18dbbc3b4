/**
 * Decides when each SQL statement reaches Postgres, and with which fault.
 *
 * Each statement has its own choice, by party, name and number ("wallet 1 fast_path_lock #3"). So
 * single choices decide which session reaches a table row first, and can be removed from a saved
 * run.
 */
import type { Random } from '@purser/runtime/seeded-random'
import { createCounter } from '../../market/network/simulated-network.ts'
import type { VirtualEnvironment } from '../../market/network/virtual-environment.ts'
import type { Choices, MessageFault } from '../../market/run-choices.ts'
import type { Trace } from '../../market/trace.ts'
import type { ClientStatement } from './client-statements.ts'
import type { PostgresProxy } from './postgres-proxy.ts'
import type { PostgresSession } from './postgres-session.ts'

export interface StatementScheduler {
  /** A statement has arrived, or without one a requested connection. */
  arrives(session: PostgresSession, sent?: ClientStatement): void
  /** False if no statement is due. */
  releaseNext(): Promise<boolean>
  /** False ends all faults; held statements continue without one. */
  allow(faults: boolean): void
  areAllowed(): boolean
}

interface Deps {
  readonly world: Pick<VirtualEnvironment, 'after'>
  readonly choices: Pick<Choices, 'messageFault'>
  readonly random: Random
  readonly trace: Trace
  readonly proxy: Pick<PostgresProxy, 'open' | 'release' | 'cut'>
  /** The statement waits for a lock. */
  blocked(session: PostgresSession, statement: string): void
}

interface HeldStatement {
  readonly session: PostgresSession
  readonly sent: ClientStatement | undefined
  fault: MessageFault
  isDue: boolean
}

const COMMIT = 'commit'
const REFUSED = 'a connection is refused'
const CUT_BEFORE = 'cut before it arrives'
const CUT_AFTER = 'cut before its answer arrives'
const CUT_WAITING = 'cut while it waits for a lock'
const SILENT = 'the connection falls silent'
const DELAYED = 'delayed'

const NO_FAULT: MessageFault = { name: '', arrivals: [1], answerAfter: 0 }

export function createStatementScheduler(deps: Deps): StatementScheduler {
  const { world, choices, random } = deps
  const all = new Set<HeldStatement>()
  const due: HeldStatement[] = []
  const toBeCut: PostgresSession[] = []
  const counted = createCounter()
  let areFaults = false
  const make = (held: HeldStatement) => {
    if (held.isDue) return
    held.isDue = true
    all.delete(held)
    due.push(held)
  }
  return {
    arrives(session, sent) {
      const name = counted(`${session.party} ${sent?.name ?? 'connects'}`)
      const fault = areFaults ? choices.messageFault(name, () => drawStatementFault(random, sent)) : NO_FAULT
      const held = { session, sent, fault, isDue: false }
      all.add(held)
      world.after(fault.arrivals[0] ?? fault.breaks?.after ?? 0, () => make(held))
    },
    async releaseNext() {
      const cut = toBeCut.shift()
      if (cut !== undefined && areFaults) return cutWaiting(deps, cut)
      due.splice(0, due.length, ...due.filter((held) => !isGone(held)))
      const next = due.find(isNext)
      if (next === undefined) return false
      due.splice(due.indexOf(next), 1)
      await releaseStatement(deps, next)
      const { breaks } = next.fault
      if (breaks !== undefined && next.session.waitsFor.length > 0)
        world.after(breaks.after, () => void toBeCut.push(next.session))
      return true
    },
    allow(faults) {
      areFaults = faults
      if (faults) return
      for (const held of [...due, ...all]) held.fault = NO_FAULT
      for (const held of all) make(held)
    },
    areAllowed: () => areFaults,
  }
}

async function releaseStatement(
  { trace, proxy, blocked }: Deps,
  { session, sent, fault }: HeldStatement,
): Promise<void> {
  if (fault.name !== '' && fault.name !== CUT_WAITING) {
    trace.note(`${session.name} ${sent?.name ?? ''}: ${fault.name}`)
    trace.mark(sent?.name === COMMIT ? `${fault.name}, of a COMMIT${ofPlatform(session)}` : fault.name)
  }
  if (fault.name === REFUSED || fault.name === CUT_BEFORE) return proxy.cut(session)
  if (sent === undefined) return proxy.open(session)
  if (fault.name === SILENT) {
    session.isSilent = true
    return
  }
  if (session.isLeft) trace.mark('a statement arrives whose client has left')
  await proxy.release(session, fault.name === CUT_AFTER)
  if (session.waitsFor.length === 0) return
  trace.note(`${session.name} ${sent.name}: waits for ${session.waitsFor.join(', ')}`)
  blocked(session, sent.name)
}

/** The platform has its own books. */
function ofPlatform({ party }: PostgresSession): string {
  return party === 'platform' ? ' of the platform' : ''
}

/** The server notices the broken connection only when it gets the lock or gives up. */
async function cutWaiting({ trace, proxy }: Deps, session: PostgresSession): Promise<true> {
  if (session.waitsFor.length === 0 || session.phase !== 'open') return true
  trace.note(`${session.name} ${session.running?.sent.name}: ${CUT_WAITING}`)
  trace.mark(CUT_WAITING)
  await proxy.cut(session)
  return true
}

function isNext({ session, sent }: HeldStatement): boolean {
  if (sent === undefined) return true
  return session.held[0] === sent && session.running === undefined && session.phase === 'open'
}

/** The client or the connection is gone. */
function isGone({ session, sent }: HeldStatement): boolean {
  if (sent === undefined) return session.phase !== 'connecting' || session.isLeft
  return session.isSilent || session.phase === 'over' || session.phase === 'closing' || !session.held.includes(sent)
}

/**
 * A COMMIT fails more often, because a lost one has an unknown outcome. `sent`: undefined for a
 * connection.
 */
function drawStatementFault(random: Random, sent: ClientStatement | undefined): MessageFault {
  const after = random.between(1, 14)
  const drawn = random.below(1_000)
  if (sent === undefined)
    return drawn < 30 ? { name: REFUSED, arrivals: [], breaks: { after, proxy: false } } : toDelay(after)
  const factor = sent.name === COMMIT ? 5 : 1
  if (drawn < 4 * factor) return { name: CUT_BEFORE, arrivals: [], breaks: { after, proxy: false } }
  if (drawn < 10 * factor) return { name: CUT_AFTER, arrivals: [after] }
  if (drawn < 10 * factor + 3) return { name: SILENT, arrivals: [after] }
  if (drawn < 10 * factor + 15)
    return { name: DELAYED, arrivals: [random.pick([100, 300, 700, 1_500, 2_600, 6_000])], answerAfter: 0 }
  if (drawn < 10 * factor + 35)
    return {
      name: CUT_WAITING,
      arrivals: [after],
      answerAfter: 0,
      breaks: { after: random.between(20, 400), proxy: false },
    }
  return toDelay(after)
}

function toDelay(after: number): MessageFault {
  return { name: '', arrivals: [after], answerAfter: 0 }
}
