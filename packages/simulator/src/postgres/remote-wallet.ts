/**
 * The simulation's side of the connection to a wallet process: it sends calls, connections and the
 * time, in turns.
 */
import type { ChildProcess } from 'node:child_process'
import type { Cancel } from '@purser/runtime/environment'
import type { Host, NetworkAnswer } from '../market/network/simulated-network.ts'
import type { VirtualEnvironment } from '../market/network/virtual-environment.ts'
import type {
  IpcMessage,
  IpcReply,
  IpcTurn,
  ManualMovement,
  MovementOutcome,
  SocketEvent,
  WalletEvent,
  WalletRequest,
  WalletStart,
} from './ipc-messages.ts'
import type { ClientEnd, ConnectionHandlers } from './wire/client-socket.ts'
import type { PostgresProxy } from './wire/postgres-proxy.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface RemoteWallet {
  /** False before the wallet has started. */
  readonly host: Host
  /** Calls without an answer. */
  underWay(): number
  move(movement: ManualMovement): Promise<MovementOutcome>
  /** Resolves to the token of a session. */
  openAccount(userId: string): Promise<string>
  /**
   * Sends the new input. Resolves to a function that applies the output; undefined without input.
   */
  turn(): Promise<(() => void) | undefined>
  /** Sends SIGKILL. */
  kill(): void
  end(): Promise<void>
}

interface Deps {
  readonly workerPool: WorkerPool
  readonly world: VirtualEnvironment
  readonly proxy: Pick<PostgresProxy, 'connect'>
  note(event: string): void
  onEnqueue(): void
}

/** `begun` resolves when the wallet accepts calls. */
export function startRemoteWallet(
  deps: Deps,
  beginning: WalletStart,
): { readonly wallet: RemoteWallet; readonly begun: Promise<void> } {
  const { workerPool } = deps
  const child = workerPool.acquire()
  const {
    messages,
    enqueue,
    request: sendRequest,
    applyEvent,
    answers,
    closeAll,
  } = createWalletChannel(deps, `wallet ${beginning.number}`)
  const beganAt = deps.world.elapsed()
  let [isThere, isOver] = [false, false]
  let cancel: Cancel = () => {}
  const began = sendRequest({ kind: 'begin', ...beginning, startsAt: beginning.startsAt + beganAt })
  const applyReply = ({ events, dueAt }: IpcReply) => {
    cancel()
    for (const event of events) applyEvent(event)
    if (dueAt !== undefined)
      cancel = deps.world.after(beganAt + dueAt - deps.world.elapsed(), () => enqueue({ kind: 'time' }))
  }
  const wallet: RemoteWallet = {
    host(request, answer) {
      if (isThere && !isOver) enqueue({ kind: 'call', id: answers.add(answer), request })
      return isThere && !isOver
    },
    underWay: () => (isOver ? 0 : answers.count()),
    move: (movement) => sendRequest({ kind: 'move', ...movement }) as Promise<MovementOutcome>,
    openAccount: (userId) => sendRequest({ kind: 'open account', userId }),
    async turn() {
      if (messages.length === 0 || isOver) return undefined
      const reply = await sendTurn(child, { now: deps.world.elapsed() - beganAt, messages: messages.splice(0) })
      return () => applyReply(reply)
    },
    kill() {
      isOver = true
      cancel()
      child.kill('SIGKILL')
      closeAll()
    },
    async end() {
      if (isOver) return
      await sendRequest({ kind: 'end' })
      isOver = true
      cancel()
      workerPool.release(child)
    },
  }
  const begun = began.then(() => {
    isThere = true
  })
  return { wallet, begun }
}

function createWalletChannel({ proxy, note, onEnqueue }: Deps, name: string) {
  const messages: IpcMessage[] = []
  const sockets = new Map<number, ConnectionHandlers>()
  const pending = new Map<number, { resolve(value: string): void; reject(error: Error): void }>()
  const answers = createPending<(answer: NetworkAnswer) => void>()
  let requests = 0
  const enqueue = (message: IpcMessage) => {
    messages.push(message)
    onEnqueue()
  }
  const createClientEnd = (socket: number): ClientEnd => {
    const notify = (event: SocketEvent) => enqueue({ kind: 'socket', socket, event })
    return {
      connected: () => notify({ kind: 'connected' }),
      give: (data) => notify({ kind: 'data', data }),
      hangUp: () => notify({ kind: 'hung up' }),
      breaks: (code) => notify({ kind: 'broken', ...(code !== undefined && { code }) }),
    }
  }
  const applyEvent = (event: WalletEvent): unknown => {
    switch (event.kind) {
      case 'open':
        return sockets.set(event.socket, proxy.connect(name, createClientEnd(event.socket)))
      case 'send':
        return sockets.get(event.socket)?.onData(Buffer.from(event.data))
      case 'close':
        return sockets.get(event.socket)?.onEnd()
      case 'answer':
        return answers.take(event.id)?.({ ...event.answer, body: Buffer.from(event.answer.body) })
      case 'note':
        return note(event.text)
      case 'resolve':
        return pending.get(event.id)?.resolve(event.value)
      case 'reject':
        return pending.get(event.id)?.reject(new Error(event.error))
      default:
        return event satisfies never
    }
  }
  const request = (walletRequest: WalletRequest): Promise<string> =>
    new Promise((resolve, reject) => {
      requests += 1
      pending.set(requests, { resolve, reject })
      enqueue({ kind: 'request', id: requests, walletRequest })
    })
  const closeAll = () => sockets.forEach((socket) => void socket.onEnd())
  return { messages, enqueue, request, applyEvent, answers, closeAll }
}

function createPending<T>() {
  const all = new Map<number, T>()
  let last = 0
  return {
    add(one: T): number {
      last += 1
      all.set(last, one)
      return last
    },
    take(number: number): T | undefined {
      const one = all.get(number)
      all.delete(number)
      return one
    },
    count: () => all.size,
  }
}

function sendTurn(child: ChildProcess, turn: IpcTurn): Promise<IpcReply> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the process of a wallet has ended'))
    child.once('exit', ended)
    child.once('message', (reply: unknown) => {
      child.off('exit', ended)
      resolve(reply as IpcReply)
    })
    child.send(turn)
  })
}
