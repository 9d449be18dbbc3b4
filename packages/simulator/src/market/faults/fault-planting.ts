/** Plants a fault between a party and its database, or between a party and the network. */

import { OPERATIONS } from '@purser/protocol/operation'
import { signBody } from '@purser/protocol/signature'
import { sumDecimals } from '@purser/protocol/values/decimal'
import { environment } from '@purser/runtime/environment'
import type { Db, Row, Statement, Tx } from 'purser/core/database/db'
import { type MessageMembers, parseMessage, parseRefusal } from '../actors/reply-parsing.ts'
import { MARKET_SECRET } from '../databases/market-store.ts'
import type { Host, NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'

type Query = Tx['query']

/** The statement is not sent; its result is empty. */
export const skipStatement = (name: string) => (db: Db) => {
  const isMatch = (statement: Statement) => statement.name === name
  const query = (async (statement: Statement, values?: readonly unknown[]) =>
    isMatch(statement) ? [] : db.query(statement, values)) as Db['query']
  const txOf = (tx: Tx): Tx => ({
    ...tx,
    query: (async (statement: Statement, values?: readonly unknown[]) =>
      isMatch(statement) ? [] : tx.query(statement, values)) as Query,
    execute: async (statement, values) => (isMatch(statement) ? 0 : tx.execute(statement, values)),
  })
  return {
    ...db,
    query,
    userQueries: { query },
    transaction: (work) => db.transaction((tx) => work(txOf(tx))),
  } satisfies Db
}

/** Removes some rows from the result of a statement. */
export const hideRows = (name: string, isUnseen: (row: Row) => boolean) => (db: Db) => {
  const txOf = (tx: Tx): Tx => ({
    ...tx,
    query: (async (statement: Statement, values?: readonly unknown[]) => {
      const rows = await tx.query(statement, values)
      return statement.name === name ? rows.filter((row) => !isUnseen(row)) : rows
    }) as Query,
  })
  return { ...db, transaction: (work) => db.transaction((tx) => work(txOf(tx))) } satisfies Db
}

class LostCommit extends Error {}

/** Every n-th transaction is rolled back, but its caller sees a commit. */
export const loseCommits = (every: number) => (db: Db) => {
  let count = 0
  const transaction: Db['transaction'] = async (work) => {
    let value: Awaited<ReturnType<typeof work>> | undefined
    try {
      return await db.transaction(async (tx) => {
        value = await work(tx)
        count += 1
        if (count % every === 0) throw new LostCommit()
        return value
      })
    } catch (error) {
      if (error instanceof LostCommit) return value as NonNullable<typeof value>
      throw error
    }
  }
  return { ...db, transaction }
}

export interface CallFacts {
  readonly kind: 'place' | 'settle' | 'unsettle' | 'rollback'
  /** The same bytes have arrived before. */
  readonly isRepeat: boolean
  /** A Place bet of this bet id was answered 200. */
  readonly isKnown: boolean
  /** 200, the code of a refusal, or 0. */
  readonly code: number
}

/** Faults between the network and a wallet. */
export interface AnswerFaults {
  /** Replaces the call, with a new signature. */
  readonly call?: (known: CallFacts, message: MessageMembers) => MessageMembers
  /** Answers without the wallet. */
  readonly instead?: (known: CallFacts, message: MessageMembers) => NetworkAnswer | undefined
  /** Answers before the wallet receives the call. */
  readonly early?: (known: CallFacts, message: MessageMembers) => NetworkAnswer | undefined
  readonly answer?: (known: CallFacts, answer: NetworkAnswer, message: MessageMembers) => NetworkAnswer
}

const KINDS = { 'POST 1': 'place', 'PUT 1': 'unsettle', 'PUT 2': 'settle', 'PUT 3': 'rollback' } as const

export function plantAnswers({ call, instead, early, answer: other }: AnswerFaults): (host: Host) => Host {
  const [seen, placed] = [new Set<string>(), new Set<unknown>()]
  return (host) => (request, answer) => {
    const message = parseMessage(request)
    const kind =
      request.path === '/payment/bet' ? KINDS[`${request.method} ${message.type}` as keyof typeof KINDS] : undefined
    if (kind === undefined) return host(request, answer)
    const bytes = `${request.method} ${request.body.toString('utf8')}`
    const known = { kind, isRepeat: seen.has(bytes), isKnown: placed.has(message.transactionId), code: 0 }
    seen.add(bytes)
    const own = instead?.(known, message)
    if (own !== undefined) {
      environment.setTimer(1, () => answer(own))
      return true
    }
    const first = early?.(known, message)
    if (first !== undefined) environment.setTimer(0, () => answer(first))
    return host(call === undefined ? request : signAgain(request, call(known, message)), (given) => {
      const code = toVerdictCode(given)
      if (kind === 'place' && code === 200) placed.add(message.transactionId)
      if (first === undefined) answer(other?.({ ...known, code }, given, message) ?? given)
    })
  }
}

type Question = 'profile' | 'balance' | 'check'

/** Changes the 200 of a call that only reads. */
export function changeReply(
  operation: Question,
  change: (members: Record<string, unknown>, message: MessageMembers) => Record<string, unknown>,
): (host: Host) => Host {
  return (host) => (request, answer) =>
    host(request, (given) => {
      const isMatch = request.path === OPERATIONS[operation].path && given.status === 200
      answer(
        isMatch
          ? { ...given, body: changeBody(given.body, (members) => change(members, parseMessage(request))) }
          : given,
      )
    })
}

function changeBody(body: Buffer, change: (members: Record<string, unknown>) => object): Buffer {
  return Buffer.from(JSON.stringify(change(JSON.parse(body.toString('utf8')) as Record<string, unknown>)))
}

/** A cache in front of a wallet, which repeats acknowledged results for ever. */
export function rememberResults(): AnswerFaults {
  const remembered = new Map<string, NetworkAnswer>()
  const keyOf = ({ kind }: CallFacts, message: MessageMembers) =>
    `${kind} ${message.transactionId} ${message.requestId}`
  const isResult = ({ kind }: CallFacts) => kind === 'settle' || kind === 'unsettle'
  return {
    instead: (known, message) => (isResult(known) ? remembered.get(keyOf(known, message)) : undefined),
    answer(known, answer, message) {
      if (isResult(known) && known.code === 200) remembered.set(keyOf(known, message), answer)
      return answer
    },
  }
}

function signAgain(request: NetworkRequest, message: MessageMembers): NetworkRequest {
  const text = JSON.stringify(message).replace(/"amount":"([\d.]+)"/, '"amount":$1')
  const body = Buffer.from(text)
  const headers = {
    ...request.headers,
    'x-sign-jws': signBody(body, MARKET_SECRET),
    'content-length': `${body.length}`,
  }
  return { ...request, headers, body }
}

function toVerdictCode(answer: NetworkAnswer): number {
  return answer.status === 200 ? 200 : (parseRefusal(answer) ?? 0)
}

export function toAcknowledgement({ transactionId }: MessageMembers): NetworkAnswer {
  const transactionTime = new Date(environment.now()).toISOString()
  return { status: 200, body: Buffer.from(JSON.stringify({ transactionId, transactionTime })) }
}

/** Another id of the same length. */
export function toOtherId(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
}

export function addOne(amount: string): string {
  return sumDecimals([amount, '1'])
}
