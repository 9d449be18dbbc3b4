/**
 * The proxy between the parties and a real Postgres.
 *
 * Each SQL statement waits in the proxy until the simulation releases it. The next event happens
 * only after Postgres has answered all released statements, or holds them at a lock. So the
 * releases decide the order of work in Postgres.
 */
import type { Socket } from 'node:net'
import { environment } from '@purser/runtime/environment'
import type { PostgresMessage } from 'purser/core/database/postgres/postgres-messages'
import type { Trace } from '../../market/trace.ts'
import type { LockObserver } from '../lock-observer.ts'
import { SET_FREE_AT_ONCE } from '../locks-coverage.ts'
import { type ClientEnd, ClientSocket, type ConnectionHandlers } from './client-socket.ts'
import { type ClientStatement, type StatementResult, toFatalError, toStatementResult } from './client-statements.ts'
import { connectToServer, createHandlers, type PostgresSession, sendNext } from './postgres-session.ts'

export interface PostgresProxy {
  /** `line` receives the server's events; the result receives the client's. */
  connect(party: string, line: ClientEnd): ConnectionHandlers
  /** For a client in this process. */
  newSocket(party: string): Socket
  /** The sessions that are not over, in the order of their requests. */
  sessions(): readonly PostgresSession[]
  open(session: PostgresSession): Promise<void>
  /** `isLost`: the connection breaks after the effect and before the answer. */
  release(session: PostgresSession, isLost?: boolean): Promise<void>
  /** Held statements are lost. */
  cut(session: PostgresSession): Promise<void>
  /** The server cancels the statement with this error. */
  giveUp(session: PostgresSession, code: string): Promise<void>
  /** The server ends the session with this error. */
  end(session: PostgresSession, code: string): Promise<void>
}

interface Deps {
  readonly url: string
  readonly observer: LockObserver
  readonly trace: Trace
  /** The real event loop, in which data arrives. */
  readonly nextTurn: (run: () => void) => void
  /** A held statement, or without one a requested connection. */
  arrives(session: PostgresSession, sent?: ClientStatement): void
  answered(session: PostgresSession, statement: string, result: StatementResult): void
}

/**
 * Most statements are answered in this number of turns. Then the observer's query leaves the
 * processor to the server.
 */
const TURNS = 25

export function createProxy(deps: Deps): PostgresProxy {
  const { url, observer, trace } = deps
  const target = new URL(url)
  const connect = (party: string, line: ClientEnd): ConnectionHandlers => {
    const number = (counts.get(party) ?? 0) + 1
    counts.set(party, number)
    const session = newSession(party, number, line)
    all.push(session)
    deps.arrives(session)
    return createHandlers(session, (sent) => deps.arrives(session, sent))
  }
  const counts = new Map<string, number>()
  let all: PostgresSession[] = []

  const settle = createSettler(
    deps,
    () => all,
    (left) => {
      all = left
    },
  )
  return {
    connect,
    newSocket(party) {
      const line: ClientSocket = new ClientSocket({ onData: (data) => ends.onData(data), onEnd: () => ends.onEnd() })
      const ends = connect(party, line)
      return line.asSocket()
    },
    sessions: () => all,
    async open(session) {
      const ready = await connectToServer(session, target)
      trace.note(`${session.name} is connected`)
      if (ready !== undefined && !session.isLeft) session.line.give(ready.bytes)
    },
    async release(session, isLost = false) {
      session.since = environment.monotonicNow()
      sendNext(session, isLost)
      await settle()
    },
    async cut(session) {
      if (session.phase === 'connecting') {
        session.phase = 'over'
        if (!session.isLeft) session.line.breaks('ECONNREFUSED')
      } else breakConnection(session)
      await settle()
    },
    async giveUp(session, code) {
      if (session.running !== undefined) session.running.code = code
      await observer.cancel(session.process)
      session.waitsFor = []
      await settle()
    },
    async end(session, code) {
      if (!session.isLeft && !session.isSilent) session.line.give(toFatalError(code, 'ended by the server'))
      breakConnection(session)
      await settle()
    },
  }
}

/** Waits until every running statement is held at a lock, then delivers the answers. */
function createSettler(
  { observer, trace, nextTurn, answered }: Deps,
  of: () => readonly PostgresSession[],
  keep: (left: PostgresSession[]) => void,
): () => Promise<void> {
  const turn = () => new Promise<void>((done) => nextTurn(done))
  const underWay = () => of().filter(isUnderWay)
  const settle = async () => {
    const waited = of().flatMap((session) =>
      session.waitsFor.length > 0 ? [[session, session.waitsFor] as const] : [],
    )
    do await rest()
    while (deliver())
    const goesOn = waited.filter(
      ([{ running, waitsFor }, before]) => running === undefined || waitsFor.some((name) => !before.includes(name)),
    )
    if (goesOn.length > 1) trace.mark(SET_FREE_AT_ONCE)
  }
  const rest = async () => {
    for (;;) {
      for (let turns = 0; turns < TURNS && underWay().length > 0; turns++) await turn()
      const waiting = underWay()
      if (waiting.length === 0) return
      const waits = await observer.readWaits(waiting.map(({ process }) => process))
      const isUnchanged = underWay().length === waiting.length
      for (const session of waiting) updateWaits(session, waits.get(session.process), of())
      if (isUnchanged && waiting.every((one) => one.phase === 'over' || one.waitsFor.length > 0)) return
    }
  }
  /** In the order of the sessions. True if more answers may follow. */
  const deliver = (): boolean => {
    let isMore = false
    for (const session of of()) {
      const { running } = session
      if (running?.isOver !== true) continue
      delete session.running
      session.waitsFor = []
      session.since = environment.monotonicNow()
      const result = toStatementResult(running.answer)
      const { word, rows } = result
      trace.note(`${session.name} ${running.sent.name}: ${word}${rows > 0 ? `, ${rows} rows` : ''}`)
      answered(session, running.sent.name, result)
      if (running.isLost) {
        breakConnection(session)
        isMore = true
      }
      if (!session.isLeft && !session.isSilent) deliverAnswer(session, running.answer)
    }
    keep(of().filter(({ phase, running }) => phase !== 'over' || running !== undefined))
    return isMore
  }
  return settle
}

function breakConnection(session: PostgresSession): void {
  session.held = []
  session.line.breaks(session.isLeft ? undefined : 'ECONNRESET')
  session.isLeft = true
  closeSession(session)
}

function newSession(party: string, number: number, line: ClientEnd): PostgresSession {
  const empty = { isLeft: false, isSilent: false, process: 0, held: [], waitsFor: [], lockMs: 0, since: 0 }
  return { name: `${party}/${number}`, party, line, phase: 'connecting', state: 'I', ...empty }
}

/** The server may still act on the session. */
function isUnderWay({ phase, running }: PostgresSession): boolean {
  return phase === 'closing' || running?.isOver === false
}

/** `waitsFor`: undefined if the backend has ended. */
function updateWaits(
  session: PostgresSession,
  waitsFor: readonly number[] | undefined,
  all: readonly PostgresSession[],
): void {
  const { running, phase } = session
  if (running?.isOver === true) return
  if (phase === 'closing' && waitsFor === undefined) {
    session.phase = 'over'
    if (running !== undefined) running.isOver = true
    return
  }
  const names = all.filter(({ process }) => waitsFor?.includes(process)).map(({ name }) => name)
  session.waitsFor = running?.code === undefined ? names : [] // the statement is being cancelled
}

function closeSession(session: PostgresSession): void {
  if (session.phase === 'over') return
  session.phase = 'closing'
  session.server?.destroy()
}

function deliverAnswer(session: PostgresSession, answer: readonly PostgresMessage[]): void {
  session.line.give(Buffer.concat(answer.map(({ bytes }) => bytes)))
  if (session.phase === 'over') session.line.hangUp()
}
