/** How a fault is planted around a party of a market: between it and its database, or between it and the network. */
import type { Db, Row, Statement, Tx } from '../../db/db.ts'
import { sumOf } from '../../protocol/decimal.ts'
import { OPERATIONS } from '../../protocol/operation.ts'
import { sign } from '../../protocol/signature.ts'
import { world } from '../../runtime/world.ts'
import type { Answer, Host, Request } from './network.ts'
import { refusalOf, type Said, saidIn } from './said.ts'
import { SECRET } from './store.ts'

type Query = Tx['query']

/** The statement is not sent, and answers that there is nothing. */
export const without = (name: string) => (db: Db) => {
  const isIt = (statement: Statement) => statement.name === name
  const query = (async (statement: Statement, values?: readonly unknown[]) =>
    isIt(statement) ? [] : db.query(statement, values)) as Db['query']
  const txOf = (tx: Tx): Tx => ({
    ...tx,
    query: (async (statement: Statement, values?: readonly unknown[]) =>
      isIt(statement) ? [] : tx.query(statement, values)) as Query,
    execute: async (statement, values) => (isIt(statement) ? 0 : tx.execute(statement, values)),
  })
  return { ...db, query, people: { query }, transaction: (work) => db.transaction((tx) => work(txOf(tx))) } satisfies Db
}

/** Some rows of what a statement reads are not seen. */
export const blindTo = (name: string, isUnseen: (row: Row) => boolean) => (db: Db) => {
  const txOf = (tx: Tx): Tx => ({
    ...tx,
    query: (async (statement: Statement, values?: readonly unknown[]) => {
      const rows = await tx.query(statement, values)
      return statement.name === name ? rows.filter((row) => !isUnseen(row)) : rows
    }) as Query,
  })
  return { ...db, transaction: (work) => db.transaction((tx) => work(txOf(tx))) } satisfies Db
}

class Lost extends Error {}

/** Each so-many-th transaction is undone, and whoever asked for it hears that it was committed. */
export const losing = (every: number) => (db: Db) => {
  let count = 0
  const transaction: Db['transaction'] = async (work) => {
    let value: Awaited<ReturnType<typeof work>> | undefined
    try {
      return await db.transaction(async (tx) => {
        value = await work(tx)
        count += 1
        if (count % every === 0) throw new Lost()
        return value
      })
    } catch (error) {
      if (error instanceof Lost) return value as NonNullable<typeof value>
      throw error
    }
  }
  return { ...db, transaction }
}

/** What is known of a call about a bet. */
export interface Known {
  readonly kind: 'place' | 'settle' | 'unsettle' | 'rollback'
  /** The same bytes have come before. */
  readonly isRepeat: boolean
  /** A Place bet of this bet id was answered 200. */
  readonly isKnown: boolean
  /** 200, the code of a refusal, or 0. */
  readonly code: number
}

/** What stands between network and wallet. */
export interface Answering {
  /** Another call goes in; it is signed again. */
  readonly call?: (known: Known, said: Said) => Said
  /** The answer, and the wallet hears nothing. */
  readonly instead?: (known: Known, said: Said) => Answer | undefined
  /** The answer, before the wallet has heard of it. */
  readonly early?: (known: Known, said: Said) => Answer | undefined
  /** Another answer comes out. */
  readonly answer?: (known: Known, answer: Answer, said: Said) => Answer
}

const KINDS = { 'POST 1': 'place', 'PUT 1': 'unsettle', 'PUT 2': 'settle', 'PUT 3': 'rollback' } as const

export function answering({ call, instead, early, answer: other }: Answering): (host: Host) => Host {
  const [seen, placed] = [new Set<string>(), new Set<unknown>()]
  return (host) => (request, answer) => {
    const said = saidIn(request)
    const kind =
      request.path === '/payment/bet' ? KINDS[`${request.method} ${said.type}` as keyof typeof KINDS] : undefined
    if (kind === undefined) return host(request, answer)
    const bytes = `${request.method} ${request.body.toString('utf8')}`
    const known = { kind, isRepeat: seen.has(bytes), isKnown: placed.has(said.transactionId), code: 0 }
    seen.add(bytes)
    const own = instead?.(known, said)
    if (own !== undefined) {
      world.after(1, () => answer(own))
      return true
    }
    const first = early?.(known, said)
    if (first !== undefined) world.after(0, () => answer(first))
    return host(call === undefined ? request : resigned(request, call(known, said)), (given) => {
      const code = codeOf(given)
      if (kind === 'place' && code === 200) placed.add(said.transactionId)
      if (first === undefined) answer(other?.({ ...known, code }, given, said) ?? given)
    })
  }
}

type Question = 'profile' | 'balance' | 'check'

/** What only asks is answered something else. */
export function telling(
  operation: Question,
  change: (members: Record<string, unknown>, said: Said) => Record<string, unknown>,
): (host: Host) => Host {
  return (host) => (request, answer) =>
    host(request, (given) => {
      const isIt = request.path === OPERATIONS[operation].path && given.status === 200
      answer(isIt ? { ...given, body: changedBody(given.body, (members) => change(members, saidIn(request))) } : given)
    })
}

function changedBody(body: Buffer, change: (members: Record<string, unknown>) => object): Buffer {
  return Buffer.from(JSON.stringify(change(JSON.parse(body.toString('utf8')) as Record<string, unknown>)))
}

/** A cache in front of a wallet: results that it has said yes to are answered by it, for ever. */
export function remembersResults(): Answering {
  const kept = new Map<string, Answer>()
  const keyOf = ({ kind }: Known, said: Said) => `${kind} ${said.transactionId} ${said.requestId}`
  const isResult = ({ kind }: Known) => kind === 'settle' || kind === 'unsettle'
  return {
    instead: (known, said) => (isResult(known) ? kept.get(keyOf(known, said)) : undefined),
    answer(known, answer, said) {
      if (isResult(known) && known.code === 200) kept.set(keyOf(known, said), answer)
      return answer
    },
  }
}

function resigned(request: Request, said: Said): Request {
  const text = JSON.stringify(said).replace(/"amount":"([\d.]+)"/, '"amount":$1')
  const body = Buffer.from(text)
  const headers = { ...request.headers, 'x-sign-jws': sign(body, SECRET), 'content-length': `${body.length}` }
  return { ...request, headers, body }
}

function codeOf(answer: Answer): number {
  return answer.status === 200 ? 200 : (refusalOf(answer) ?? 0)
}

/** 200, at this time. */
export function done({ transactionId }: Said): Answer {
  const transactionTime = new Date(world.wall()).toISOString()
  return { status: 200, body: Buffer.from(JSON.stringify({ transactionId, transactionTime })) }
}

/** Another id of the same length. */
export function reworded(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
}

/** An amount of the wire. */
export function oneMore(amount: string): string {
  return sumOf([amount, '1'])
}
