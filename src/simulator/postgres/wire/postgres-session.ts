/**
 * One connection of a client to Postgres, with everything that a proxy holds of it. The server does not know of the client, nor the client of the
 * server: each statement stays here until it is released, and its answer until it is delivered.
 *
 * asking ──opened──► greeting ──the server is ready──► open ──cut, or its client has hung up and all is sent──► closing ──the server's process is gone──► over
 *    └──refused──► over
 */
import { connect, type Socket } from 'node:net'
import type { ClientEnd, ConnectionHandlers } from './client-socket.ts'
import {
  type ClientStatement,
  createMessageReader,
  createStatementReader,
  type PostgresMessage,
  READY,
  readProcessId,
  readQueryText,
  readTransactionState,
  TERMINATE,
  toQuery,
  withCode,
} from './postgres-messages.ts'

type Phase = 'asking' | 'greeting' | 'open' | 'closing' | 'over'

interface RunningStatement {
  readonly sent: ClientStatement
  readonly answer: PostgresMessage[]
  /** Answered, or the server has ended the session. */
  isOver: boolean
  /** The connection breaks before the client hears of it. */
  readonly isLost: boolean
  /** What its error is called (`withCode`). */
  code?: string
}

export interface PostgresSession {
  readonly name: string
  /** Whose it is. */
  readonly party: string
  readonly line: ClientEnd
  phase: Phase
  /** The client has hung up; what it had sent is still on its way. */
  isLeft: boolean
  /** Nothing passes any more, and neither side is told. */
  isSilent: boolean
  server?: Socket
  /** The server's process. */
  process: number
  held: ClientStatement[]
  running?: RunningStatement
  /** I: in no transaction; T: in one; E: in one that has failed. */
  state: string
  /** Sessions that it waits for, by their names. */
  waitsFor: readonly string[]
  /** Milliseconds that it waits for a lock; 0: for ever. */
  lockMs: number
  /** When it was last released or answered. */
  since: number
}

/** Time-outs of the server, which has another time than the simulation: the proxy keeps them. */
const TIME_OUTS = /\b(lock_timeout|statement_timeout|idle_in_transaction_session_timeout) = ('[^']*'|\d+)/g
const LOCK_MS = /\block_timeout = '?(\d+)/

/** Tells a session what its client does. `arrives`: a statement is there to be released. */
export function createHandlers(session: PostgresSession, arrives: (sent: ClientStatement) => void): ConnectionHandlers {
  const read = createMessageReader('has no type')
  const collect = createStatementReader()
  return {
    onData(data: Buffer) {
      for (const message of read(data)) {
        if (session.phase !== 'open') session.server?.write(message.bytes)
        else if (message.type !== TERMINATE) {
          const sent = collect(message)
          if (sent === undefined) continue
          session.held.push(sent)
          arrives(sent)
        }
      }
    },
    onEnd() {
      session.isLeft = true
    },
  }
}

/** Leads the client to the server. Resolves when the server is ready for it; the client does not know so yet. */
export function connectToServer(
  session: PostgresSession,
  { hostname, port }: URL,
): Promise<PostgresMessage | undefined> {
  const server = connect(Number.parseInt(port, 10), hostname)
  const read = createMessageReader('has a type')
  session.server = server.setNoDelay(true)
  session.phase = 'greeting'
  return new Promise((resolve) => {
    server.on('error', () => {})
    server.once('connect', () => session.line.connected())
    server.on('data', (data) => {
      for (const message of read(data)) {
        if (message.type === 'K') session.process = readProcessId(message)
        if (session.phase !== 'greeting') receiveMessage(session, message)
        else if (message.type !== READY) session.line.give(message.bytes)
        else {
          session.phase = 'open'
          resolve(message)
        }
      }
    })
    server.once('close', () => {
      resolve(undefined)
      if (session.phase === 'closing') return
      if (session.phase === 'greeting') session.line.breaks('ECONNRESET')
      else if (session.running !== undefined) session.running.isOver = true
      else if (!session.isLeft) session.line.hangUp()
      session.phase = 'over'
    })
  })
}

/** What the server says behind the greeting. */
function receiveMessage(session: PostgresSession, message: PostgresMessage): void {
  const { running } = session
  if (running === undefined) {
    if (!session.isLeft) session.line.give(message.bytes)
    return
  }
  const isNamed = message.type === 'E' && running.code !== undefined
  running.answer.push(isNamed ? withCode(message, running.code as string) : message)
  if (message.type !== READY) return
  session.state = readTransactionState(message)
  running.isOver = true
}

/** The first one that is held goes to the server. */
export function sendNext(session: PostgresSession, isLost: boolean): ClientStatement | undefined {
  const sent = session.held.shift()
  if (sent === undefined) return undefined
  session.running = { sent, answer: [], isOver: false, isLost }
  session.server?.write(withoutServerTimeouts(session, sent).bytes)
  return sent
}

function withoutServerTimeouts(session: PostgresSession, sent: ClientStatement): ClientStatement {
  const text = readQueryText(sent)
  const lock = LOCK_MS.exec(text ?? '')
  if (text === undefined || text.search(TIME_OUTS) < 0) return sent
  if (lock !== null) session.lockMs = Number.parseInt(lock[1] as string, 10)
  return { ...sent, bytes: toQuery(text.replace(TIME_OUTS, '$1 = 0')) }
}
