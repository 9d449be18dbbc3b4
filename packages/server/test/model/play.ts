/**
 * Plays a random history against the real wallet, and compares each reply and balance with the
 * model.
 */
import type { TestWallet } from '../support/wallet.ts'
import type { WireReply } from '../support/wire.ts'
import { perform } from './acts.ts'
import type { Call, Prediction, Settings } from './call.ts'
import { type Exchange, explain } from './compare.ts'
import { type Coverage, count } from './coverage.ts'
import { describeCall } from './describe.ts'
import { callFor, messageOf } from './messages.ts'
import { compareBooks, look } from './outside.ts'
import type { Step } from './steps.ts'
import { layTable, type Table } from './table.ts'

/** The balances of players without a call are compared less often, because a change is unlikely. */
const EVERYBODY_EVERY = 10

/** Throws at the first difference, with the whole history as text. */
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
  const calls = step.calls.map((call) => callFor(table, call))
  const exchanges = await Promise.all(calls.map((call) => exchange(table, call)))
  for (const [n, done] of exchanges.entries())
    table.transcript.push(`${n === 0 ? `${index + 1}.` : '   at once'} ${describe(table, done)}`)
  const everybody = index % EVERYBODY_EVERY === 0 || calls.length > 1
  const seats = table.seats.filter(({ id }) => everybody || id === calls[0]?.player)
  // The reply to a single call and the balances determine its bet. After several calls the bets
  // are read too.
  const bets = calls.length > 1 ? calls.filter(({ player }) => player !== table.nobody) : []
  const { model, times, predictions } = explain(table, exchanges, await look(table, seats, bets))
  table.model = model
  table.times = times
  for (const { call, prediction } of predictions) {
    count(coverage, call.kind, prediction)
    if (isRefusedForGood(prediction)) table.bets.find(({ id }) => id === call.bet)?.refused.push(call)
  }
}

function isRefusedForGood({ verdict }: Prediction): boolean {
  return verdict.status === 400 && (verdict.code === 20 || verdict.code === 21)
}

async function exchange(table: Table, call: Call): Promise<Exchange> {
  const { clock } = table.wallet
  const sentAt = clock.now()
  const reply = await send(table, call)
  return { call, reply, sentAt, answeredAt: clock.now() }
}

function send({ wallet, settings }: Table, call: Call): Promise<WireReply> {
  const method = call.kind === 'place' ? 'POST' : 'PUT'
  return wallet.wire.call(method, '/payment/bet', messageOf(call, settings.behindAggregator))
}

function describe(table: Table, { call, reply }: Exchange): string {
  return `${describeCall(table, call)} → ${reply.status} ${reply.text}`
}
