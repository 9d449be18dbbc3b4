/**
 * One client connection to Postgres, with the data that the proxy holds for the connection.
 *
 * An SQL statement waits here for its release, an answer for its delivery. The phases and their
 * exits:
 *
 * - connecting: opened → greeting · refused → over
 * - greeting: the server is ready → open · the server closes → over
 * - open: cut, or left by its client and all is sent → closing · the server closes → over
 * - closing: the backend has ended → over
 */
import { connect, type Socket } from 'node:net'
import {
  CLIENT_MESSAGE,
  createMessageReader,
  encodeSimpleQuery,
  type PostgresMessage,
  SERVER_MESSAGE,
} from 'purser/core/database/postgres/postgres-messages'
import type { ClientEnd, ConnectionHandlers } from './client-socket.ts'
import {
  type ClientStatement,
  createStatementReader,
  readProcessId,
  readQueryText,
  readTransactionState,
  withCode,
} from './client-statements.ts'

type Phase = 'connecting' | 'greeting' | 'open' | 'closing' | 'over'

interface RunningStatement {
  readonly sent: ClientStatement
  readonly answer: PostgresMessage[]
  /** The statement is answered, or the server has ended the session. */
  isOver: boolean
  /** The connection breaks before the answer reaches the client. */
  readonly isLost: boolean
  /** The code that its error gets (`withCode`). */
  code?: string
}

export interface PostgresSession {
  readonly name: string
  readonly party: string
  readonly line: ClientEnd
  phase: Phase
  /** The client has closed the connection; its earlier statements are still in transit. */
  isLeft: boolean
  /** The proxy passes no data, and neither side gets an error. */
  isSilent: boolean
  server?: Socket
  /** The id of the backend. */
  process: number
  held: ClientStatement[]
  running?: RunningStatement
  /** I without a transaction, T inside one, E inside a failed one. */
  state: string
  /** The names of the sessions that block it. */
  waitsFor: readonly string[]
  /** Milliseconds; 0 means for ever. */
  lockMs: number
  since: number
}

/** The proxy enforces these time-outs, because the server's time is not virtual. */
const TIME_OUTS = /\b(lock_timeout|statement_timeout|idle_in_transaction_session_timeout) = ('[^']*'|\d+)/g
const LOCK_MS = /\block_timeout = '?(\d+)/

/** `arrives`: a statement waits for its release. */
export function createHandlers(session: PostgresSession, arrives: (sent: ClientStatement) => void): ConnectionHandlers {
  const read = createMessageReader('has no type')
  const collect = createStatementReader()
  return {
    onData(data: Buffer) {
      for (const message of read(data)) {
        if (session.phase !== 'open') session.server?.write(message.bytes)
        else if (message.type !== CLIENT_MESSAGE.terminate) {
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

/** Resolves when the server is ready, before the client is notified. */
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
        if (message.type === SERVER_MESSAGE.backendKeyData) session.process = readProcessId(message)
        if (session.phase !== 'greeting') receiveMessage(session, message)
        else if (message.type !== SERVER_MESSAGE.readyForQuery) session.line.give(message.bytes)
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

function receiveMessage(session: PostgresSession, message: PostgresMessage): void {
  const { running } = session
  if (running === undefined) {
    if (!session.isLeft) session.line.give(message.bytes)
    return
  }
  const isNamed = message.type === SERVER_MESSAGE.error && running.code !== undefined
  running.answer.push(isNamed ? withCode(message, running.code as string) : message)
  if (message.type !== SERVER_MESSAGE.readyForQuery) return
  session.state = readTransactionState(message)
  running.isOver = true
}

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
  return { ...sent, bytes: encodeSimpleQuery(text.replace(TIME_OUTS, '$1 = 0')) }
}
