/** A wallet of a run, whose code is in a process of its own: its calls, its connections to Postgres and its time come from here, turn by turn. */
import type { ChildProcess } from 'node:child_process'
import type { Cancel } from '../../runtime/world.ts'
import type { Answer, Host } from '../market/network.ts'
import type { VirtualWorld } from '../market/virtual-world.ts'
import type { Crew } from './crew.ts'
import type { ClientEnd, Ends } from './line.ts'
import type { PostgresProxy } from './proxy.ts'
import type { Asked, Beginning, Done, Moved, Movement, News, Reply, Told, Word } from './words.ts'

export interface Wallet {
  /** False while it has not begun. */
  readonly host: Host
  /** Calls that it has not answered. */
  underWay(): number
  move(movement: Movement): Promise<Moved>
  /** With money, and a session: its token. */
  openAccount(userId: string): Promise<string>
  /** Tells its process what it has not heard yet. Resolves to what takes over what it did then; undefined: there was nothing to tell. */
  turn(): Promise<(() => void) | undefined>
  /** SIGKILL. */
  kill(): void
  /** Closes its connections, and gives the process back. */
  end(): Promise<void>
}

interface Deps {
  readonly crew: Crew
  readonly world: VirtualWorld
  readonly proxy: Pick<PostgresProxy, 'connect'>
  note(event: string): void
  /** Told whenever there is more for its process to hear. */
  said(): void
}

/** `begun` resolves when it may be called. */
export function beginWallet(
  deps: Deps,
  beginning: Beginning,
): { readonly wallet: Wallet; readonly begun: Promise<void> } {
  const { crew } = deps
  const child = crew.take()
  const { words, say, ask, does, answers, leaveAll } = hearing(deps, `wallet ${beginning.number}`)
  const beganAt = deps.world.elapsed()
  let [isThere, isOver] = [false, false]
  let cancel: Cancel = () => {}
  const began = ask({ does: 'begin', ...beginning, startsAt: beginning.startsAt + beganAt })
  const take = ({ done, dueAt }: Reply) => {
    cancel()
    for (const one of done) does(one)
    if (dueAt !== undefined)
      cancel = deps.world.after(beganAt + dueAt - deps.world.elapsed(), () => say({ says: 'time' }))
  }
  const wallet: Wallet = {
    host(request, answer) {
      if (isThere && !isOver) say({ says: 'call', id: answers.add(answer), request })
      return isThere && !isOver
    },
    underWay: () => (isOver ? 0 : answers.count()),
    move: (movement) => ask({ does: 'move', ...movement }) as Promise<Moved>,
    openAccount: (userId) => ask({ does: 'open account', userId }),
    async turn() {
      if (words.length === 0 || isOver) return undefined
      const reply = await tell(child, { now: deps.world.elapsed() - beganAt, words: words.splice(0) })
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
      crew.giveBack(child)
    },
  }
  const begun = began.then(() => {
    isThere = true
  })
  return { wallet, begun }
}

/** What it is told and has not heard yet, and what becomes of what it does. */
function hearing({ proxy, note, said }: Deps, name: string) {
  const words: Word[] = []
  const lines = new Map<number, Ends>()
  const asked = new Map<number, { resolve(value: string): void; reject(error: Error): void }>()
  const answers = numbered<(answer: Answer) => void>()
  let asks = 0
  const say = (word: Word) => {
    words.push(word)
    said()
  }
  const endOf = (line: number): ClientEnd => {
    const tells = (news: News) => say({ says: 'line', line, news })
    return {
      connected: () => tells({ kind: 'connected' }),
      give: (data) => tells({ kind: 'data', data }),
      hangUp: () => tells({ kind: 'hung up' }),
      breaks: (code) => tells({ kind: 'broken', ...(code !== undefined && { code }) }),
    }
  }
  const does = (one: Done): unknown => {
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
        return asked.get(one.id)?.resolve(one.value)
      case 'fail':
        return asked.get(one.id)?.reject(new Error(one.error))
      default:
        return one satisfies never
    }
  }
  const ask = (what: Asked): Promise<string> =>
    new Promise((resolve, reject) => {
      asks += 1
      asked.set(asks, { resolve, reject })
      say({ says: 'ask', id: asks, asked: what })
    })
  return { words, say, ask, does, answers, leaveAll: () => lines.forEach((line) => void line.onEnd()) }
}

function numbered<T>() {
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

function tell(child: ChildProcess, told: Told): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the process of a wallet has ended'))
    child.once('exit', ended)
    child.once('message', (reply: unknown) => {
      child.off('exit', ended)
      resolve(reply as Reply)
    })
    child.send(told)
  })
}
