/**
 * A wallet in its own process, which gets its calls, its connections and its time from here, in
 * turns.
 */
import type { ChildProcess } from 'node:child_process'
import type { Cancel } from '../../runtime/environment.ts'
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
  const { words, say: enqueue, ask, does, answers, leaveAll } = createWalletChannel(deps, `wallet ${beginning.number}`)
  const beganAt = deps.world.elapsed()
  let [isThere, isOver] = [false, false]
  let cancel: Cancel = () => {}
  const began = ask({ does: 'begin', ...beginning, startsAt: beginning.startsAt + beganAt })
  const take = ({ done, dueAt }: IpcReply) => {
    cancel()
    for (const one of done) does(one)
    if (dueAt !== undefined)
      cancel = deps.world.after(beganAt + dueAt - deps.world.elapsed(), () => enqueue({ says: 'time' }))
  }
  const wallet: RemoteWallet = {
    host(request, answer) {
      if (isThere && !isOver) enqueue({ says: 'call', id: answers.add(answer), request })
      return isThere && !isOver
    },
    underWay: () => (isOver ? 0 : answers.count()),
    move: (movement) => ask({ does: 'move', ...movement }) as Promise<MovementOutcome>,
    openAccount: (userId) => ask({ does: 'open account', userId }),
    async turn() {
      if (words.length === 0 || isOver) return undefined
      const reply = await sendTurn(child, { now: deps.world.elapsed() - beganAt, words: words.splice(0) })
      return () => take(reply)
    },
    kill() {
      isOver = true
      cancel()
      child.kill('SIGKILL')
      leaveAll()
    },
    async end() {
      if (isOver) return
      await ask({ does: 'end' })
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
  const words: IpcMessage[] = []
  const lines = new Map<number, ConnectionHandlers>()
  const pending = new Map<number, { resolve(value: string): void; reject(error: Error): void }>()
  const answers = createPending<(answer: NetworkAnswer) => void>()
  let asks = 0
  const enqueue = (word: IpcMessage) => {
    words.push(word)
    onEnqueue()
  }
  const endOf = (line: number): ClientEnd => {
    const notify = (news: SocketEvent) => enqueue({ says: 'line', line, news })
    return {
      connected: () => notify({ kind: 'connected' }),
      give: (data) => notify({ kind: 'data', data }),
      hangUp: () => notify({ kind: 'hung up' }),
      breaks: (code) => notify({ kind: 'broken', ...(code !== undefined && { code }) }),
    }
  }
  const does = (one: WalletEvent): unknown => {
    switch (one.did) {
      case 'open':
        return lines.set(one.line, proxy.connect(name, endOf(one.line)))
      case 'send':
        return lines.get(one.line)?.onData(Buffer.from(one.data))
      case 'leave':
        return lines.get(one.line)?.onEnd()
      case 'answer':
        return answers.take(one.id)?.({ ...one.answer, body: Buffer.from(one.answer.body) })
      case 'note':
        return note(one.text)
      case 'come to':
        return pending.get(one.id)?.resolve(one.value)
      case 'fail':
        return pending.get(one.id)?.reject(new Error(one.error))
      default:
        return one satisfies never
    }
  }
  const ask = (walletRequest: WalletRequest): Promise<string> =>
    new Promise((resolve, reject) => {
      asks += 1
      pending.set(asks, { resolve, reject })
      enqueue({ says: 'ask', id: asks, asked: walletRequest })
    })
  return { words, say: enqueue, ask, does, answers, leaveAll: () => lines.forEach((line) => void line.onEnd()) }
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
