/**
 * One connection of a client to Postgres, with everything that a proxy holds of it. The server does not know of the client, nor the client of the
 * server: each statement stays here until it is released, and its answer until it is delivered.
 *
 * asking ──opened──► greeting ──the server is ready──► open ──cut, or its client has hung up and all is sent──► closing ──the server's process is gone──► over
 *    └──refused──► over
 */
import { connect, type Socket } from 'node:net'
import type { ClientEnd, Ends } from './line.ts'
import {
  type Message,
  messagesOf,
  processIn,
  queryOf,
  READY,
  type Sent,
  stateIn,
  statementsOf,
  TERMINATE,
  textOfQuery,
  withCode,
} from './messages.ts'

type Phase = 'asking' | 'greeting' | 'open' | 'closing' | 'over'

interface Running {
  readonly sent: Sent
  readonly answer: Message[]
  /** Answered, or the server has ended the session. */
  isOver: boolean
  /** The connection breaks before the client hears of it. */
  readonly isLost: boolean
  /** What its error is called (`withCode`). */
  code?: string
}

export interface Session {
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
  held: Sent[]
  running?: Running
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
export function endsOf(it: Session, arrives: (sent: Sent) => void): Ends {
  const read = messagesOf('has no type')
  const collect = statementsOf()
  return {
    onData(data: Buffer) {
      for (const message of read(data)) {
        if (it.phase !== 'open') it.server?.write(message.bytes)
        else if (message.type !== TERMINATE) {
          const sent = collect(message)
          if (sent === undefined) continue
          it.held.push(sent)
          arrives(sent)
        }
      }
    },
    onEnd() {
      it.isLeft = true
    },
  }
}

/** Leads the client to the server. Resolves when the server is ready for it; the client does not know so yet. */
export function greet(session: Session, { hostname, port }: URL): Promise<Message | undefined> {
  const server = connect(Number.parseInt(port, 10), hostname)
  const read = messagesOf('has a type')
  session.server = server.setNoDelay(true)
  session.phase = 'greeting'
  return new Promise((resolve) => {
    server.on('error', () => {})
    server.once('connect', () => session.line.connected())
    server.on('data', (data) => {
      for (const message of read(data)) {
        if (message.type === 'K') session.process = processIn(message)
        if (session.phase !== 'greeting') hear(session, message)
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
function hear(session: Session, message: Message): void {
  const { running } = session
  if (running === undefined) {
    if (!session.isLeft) session.line.give(message.bytes)
    return
  }
  const isNamed = message.type === 'E' && running.code !== undefined
  running.answer.push(isNamed ? withCode(message, running.code as string) : message)
  if (message.type !== READY) return
  session.state = stateIn(message)
  running.isOver = true
}

/** The first one that is held goes to the server. */
export function pass(session: Session, isLost: boolean): Sent | undefined {
  const sent = session.held.shift()
  if (sent === undefined) return undefined
  session.running = { sent, answer: [], isOver: false, isLost }
  session.server?.write(inOurTime(session, sent).bytes)
  return sent
}

function inOurTime(session: Session, sent: Sent): Sent {
  const text = textOfQuery(sent)
  const lock = LOCK_MS.exec(text ?? '')
  if (text === undefined || text.search(TIME_OUTS) < 0) return sent
  if (lock !== null) session.lockMs = Number.parseInt(lock[1] as string, 10)
  return { ...sent, bytes: queryOf(text.replace(TIME_OUTS, '$1 = 0')) }
}
