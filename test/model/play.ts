/** Plays a history on a table of the real wallet, and compares each reply and each balance with the model. */
import { isDeepStrictEqual } from 'node:util'
import type { TestWallet } from '../support/wallet.ts'
import type { WireReply } from '../support/wire.ts'
import { perform } from './acts.ts'
import type { Call, Settings, Verdict } from './call.ts'
import { type Coverage, count } from './coverage.ts'
import { callFor, messageOf } from './messages.ts'
import { compareBalances, compareBooks } from './outside.ts'
import type { CallStep, Step } from './steps.ts'
import { layTable, objectOf, type Table } from './table.ts'

const PLAYERS_CHECKED_EVERY = 10

/** Throws with the whole history in readable form at the first difference. */
export async function playHistory(wallet: TestWallet, settings: Settings, history: Step[], coverage: Coverage) {
  const table = await layTable(wallet, settings)
  try {
    for (const [index, step] of history.entries()) await playStep(table, step, index, coverage)
    await compareBooks(table)
  } catch (error) {
    const difference = error instanceof Error ? error.message : String(error)
    throw new Error(`${difference}\n${table.transcript.join('\n')}`, { cause: error })
  }
}

async function playStep(table: Table, step: Step, index: number, coverage: Coverage): Promise<void> {
  if (step.before !== undefined) await perform(table, step.before)
  const call = callFor(table, step.call)
  const copies = Array.from({ length: step.call.copies }, () => messageOf(call, table.settings.behindAggregator))
  const line = table.transcript.push(`${index + 1}. ${describe(table, call, step.call)}`) - 1
  const sentAt = table.wallet.clock.now()
  const replies = await Promise.all(copies.map((message) => send(table, call, message)))
  table.transcript[line] += ` → ${replies.map(({ status, text }) => `${status} ${text}`).join(' and ')}`
  for (const reply of replies) {
    const prediction = table.model.judge(call, sentAt)
    count(coverage, call.kind, prediction)
    compareReply(table, call, prediction.verdict, reply, sentAt)
  }
  const caller = table.seats.filter(({ id }) => id === call.player)
  await compareBalances(table, index % PLAYERS_CHECKED_EVERY === 0 ? table.seats : caller)
}

function send(table: Table, call: Call, message: object): Promise<WireReply> {
  return table.wallet.wire.call(call.kind === 'place' ? 'POST' : 'PUT', '/payment/bet', message)
}

function compareReply(table: Table, call: Call, verdict: Verdict, reply: WireReply, sentAt: Date): void {
  const body = objectOf(reply.body)
  if (verdict.status === 400) {
    if (reply.status === 400 && body.code === verdict.code && typeof body.message === 'string') return
    throw new Error(`expected 400 with code ${verdict.code}`)
  }
  const time = body.transactionTime
  if (reply.status !== 200 || typeof time !== 'string') throw new Error('expected 200')
  if (!isDeepStrictEqual(body, { transactionId: call.bet, transactionTime: time }))
    throw new Error('expected the bet id')
  compareTime(table, verdict, time, sentAt)
}

/** a repeat has the original time, and what takes effect now has a time between the call and its reply. */
function compareTime(table: Table, verdict: Extract<Verdict, { status: 200 }>, time: string, sentAt: Date): void {
  const known = table.times.get(verdict.moment)
  if (known !== undefined) {
    if (known === time) return
    throw new Error(`expected the original time ${known}`)
  }
  table.times.set(verdict.moment, time)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time)) throw new Error('expected an ISO 8601 time in UTC')
  const isNow = new Date(time) >= sentAt && new Date(time) <= table.wallet.clock.now()
  if (verdict.effect && !isNow)
    throw new Error(`expected a time not before ${sentAt.toISOString()}, and not in the future`)
}

function describe(table: Table, call: Call, { copies }: CallStep): string {
  const bet = table.bets.findIndex(({ id }) => id === call.bet)
  const seat = table.seats.findIndex(({ id }) => id === call.player)
  const request = `r${table.requests.indexOf(call.request) + 1}`
  const money = call.amount === undefined ? 'no amount' : `${call.amount} ${call.currency}`
  const sender = (seat === -1 ? 'nobody' : `player ${seat}`) + (call.viaAggregator ? ' with operatorUser' : '')
  const words = [call.kind, `bet ${bet}`, sender, request, money, ...describeTerms(table, call)]
  return words.join(', ') + (copies === 1 ? '' : `, ${copies} times at once`)
}

function describeTerms(table: Table, call: Call): string[] {
  if (call.kind === 'place') return [...(call.freebet ? ['freebet'] : []), describeToken(table, call.token)]
  if (call.kind !== 'settle') return []
  return call.resultType === 'cashout' ? ['cashout', describeToken(table, call.token)] : [call.resultType]
}

function describeToken(table: Table, token: string | undefined): string {
  if (token === undefined) return 'no token'
  const owner = table.seats.findIndex(({ tokens }) => tokens.includes(token))
  return owner === -1 ? 'an unknown token' : `token ${table.seats[owner]!.tokens.indexOf(token)} of player ${owner}`
}
