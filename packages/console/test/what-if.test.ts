/**
 * The console's reasons and what-if tables agree with a real wallet for every row of "The life of a
 * bet" in decisions.md. The cells are also in life-grid.long.test.ts.
 */
import { readFileSync } from 'node:fs'
import { sumDecimals } from '@purser/protocol/values/decimal'
import type { WalletBetDetail, WalletCallView } from '@purser/timeline/bet-sources'
import { describe, expect, test } from 'vitest'
import { type Call, columnOf, type Past, pasts, type Way } from '../../server/test/wallet/life-grid.ts'
import { lines, linesOf, pastNames, waysOf } from '../../server/test/wallet/life-grid-lived.ts'
import { analyzeWhatIf, type WhatIfCase } from '../src/shared/what-if/what-if.ts'

const EUR = { currency: 'EUR' }
const money = (amount: number | undefined) => (amount === undefined ? {} : { amount: amount.toFixed(2) })

/** The standard calls of the grid, as recorded. */
const PLAIN: Record<Call, Pick<WalletCallView, 'operation' | 'amount' | 'currency' | 'resultType'>> = {
  place: { operation: 'place', ...money(100), ...EUR },
  settle: { operation: 'settle', ...money(250), ...EUR, resultType: 'won' },
  cashout: { operation: 'settle', ...money(150), ...EUR, resultType: 'cashout' },
  unsettle: { operation: 'unsettle', ...money(100), ...EUR },
  rollback: { operation: 'rollback', ...money(100), ...EUR },
}

let moments = 0
const recorded = (call: Partial<WalletCallView> & Pick<WalletCallView, 'operation' | 'outcome'>): WalletCallView => ({
  requestId: `request-${moments}`,
  at: new Date(Date.UTC(2026, 10, 22) + moments++ * 1_000).toISOString(),
  transfers: [],
  ...call,
})

function historyOf(past: Past): WalletCallView[] {
  return pasts[past].map((step) =>
    step === 'place of 5000'
      ? recorded({ ...PLAIN.place, ...money(5000), outcome: 'refused', code: 7 })
      : recorded({ ...PLAIN[step], outcome: 'applied' }),
  )
}

function betOf(history: WalletCallView[], past: Past): WalletBetDetail {
  const bet = { userId: 'robin', transactionId: 'bet-0000001', status: 'unknown', firstSeenAt: '2026-11-22T00:00:00Z' }
  const isPlaced = history.some(({ operation, outcome }) => operation === 'place' && outcome === 'applied')
  const placed = isPlaced && { stake: '100.00', stakePaidBy: 'player', ...EUR }
  return { ...bet, ...placed, ...(past === 'refused' && { refusalCode: 7 }), history } as WalletBetDetail
}

/** The recorded call of a cell, with its variation and answer. */
function callOf(call: Call, way: Way, cell: string, history: WalletCallView[]): WalletCallView {
  const { amount, currency, resultType } = (typeof way.with === 'object' ? way.with : {}) as Record<string, unknown>
  const earlier = (way.resent && columnOf(call)) || way.bytesOf
  const { at: _, ...sent } = history.findLast(({ operation }) => operation === earlier) ?? { at: '' }
  const storedCall: Record<string, unknown> = { ...PLAIN[call], ...sent, operation: columnOf(call), transfers: [] }
  if (way.with !== undefined && 'amount' in way.with) storedCall.amount = money(amount as number).amount
  if (way.with !== undefined && 'currency' in way.with) storedCall.currency = currency
  if (resultType !== undefined) storedCall.resultType = resultType
  const [, code] = /^(\d+)!?( refused)?$/.exec(cell) ?? []
  const outcome = code !== undefined ? 'refused' : cell.startsWith('=') ? 'repeated' : 'applied'
  const { code: __, ...rest } = storedCall
  return recorded({
    ...(rest as unknown as WalletCallView),
    outcome,
    ...(code !== undefined && { code: Number(code) }),
  })
}

/** A row in the notation of the grid, without the time of a repeat and without the result. */
function said({ answer, isRepeat, forPlayer, leaves, known, anomaly }: WhatIfCase): string {
  const mark = anomaly === undefined ? '' : '!'
  const moved = /^0(\.0+)?$/.test(forPlayer) ? [] : [`${forPlayer.startsWith('-') ? '' : '+'}${forPlayer.slice(0, -3)}`]
  const then = leaves === known ? [] : [leaves]
  if (answer !== 200) return [`${answer.code}${mark}`, ...moved, ...then].join(' ')
  return isRepeat ? '=' : [...moved, ...then].join(' ') + mark
}

function meant(cell: string, known: string): string {
  if (cell.startsWith('=')) return '='
  const words = cell.replace(/won|lost|cashout|refund/, 'settled').split(' ')
  return words.filter((word) => word !== known).join(' ')
}

/** "21!/-250 open" has one answer for each clawback policy. */
const policiesOf = (cell: string) => cell.split('/')
/**
 * Another player's bet is another bet, and a call without its token is rejected before the bet is
 * read.
 */
const ELSEWHERE = ['other player', 'no token']

test('every cell of the comparison names the decision of its call, and only a recorded answer explains how', () => {
  const wrong: string[] = []
  let cells = 0
  for (const { call, name, line } of lines.filter(({ name }) => !ELSEWHERE.includes(name)))
    for (const way of waysOf(name))
      for (const past of pastNames)
        for (const cell of policiesOf(line[past])) {
          if (cell === 'unsent' || cell === 'unknown') continue
          const before = historyOf(past)
          const history = [...before, callOf(call, way, cell, before)]
          const judged = analyzeWhatIf(betOf(history, past), before.length)
          const own = judged?.rows.find(({ isOwn }) => isOwn)
          const is = own === undefined ? 'nothing' : said(own)
          if (is !== meant(cell, own?.known ?? '') || judged?.isAsRecorded !== true)
            wrong.push(`${call}, ${name}, ${past}: ${is} instead of ${cell}`)
          cells++
        }
  expect(wrong).toEqual([])
  expect(cells).toBeGreaterThan(500)
})

describe('the what-if table of the life of a bet shows what the wallet does for', () => {
  const plain = (call: Call) => new Map(linesOf(call)).get('new requestId') as Record<Past, string>
  const states = {
    nothing: 'nothing',
    open: 'open',
    settled: 'settled',
    cancelled: 'cancelled',
    refused: 'refused',
  } as const
  test.each(['place', 'settle', 'cashout', 'unsettle', 'rollback'] as const)('%s', (call) => {
    // Only the record of a settled bet contains the amount that an Unsettle takes back.
    for (const past of call === 'unsettle' ? (['settled'] as const) : (['open', 'settled', 'cancelled'] as const)) {
      const before = historyOf(past)
      const [cell = ''] = policiesOf(plain(call)[past])
      const bet = betOf([...before, callOf(call, {}, cell, before)], past)
      const rows = analyzeWhatIf(bet, before.length)?.rows ?? []
      for (const [known, column] of Object.entries(states)) {
        const found = rows.filter((row) => row.known === known).map(said)
        // The line of a cashout has a bet won with 250. A cashout of 150 is compared with its own
        // result.
        const cell = call === 'cashout' && known === 'settled' ? '=' : plain(call)[column]
        expect(found, `${call} after ${past}, had it been ${known}`).toContain(meant(cell, known))
      }
    }
  })
  test('a Place bet and a Settle each have two halves of a row: the same call again, and another one', () => {
    const place = analyzeWhatIf(betOf(historyOf('open'), 'open'), 0)?.rows.map((row) => `${row.had}: ${said(row)}`)
    expect(place).toEqual([
      ': -100 open',
      ...['100.00 staked: =', '200.00 staked: 8!'],
      ...['100.00 staked, won 100.00: =', '200.00 staked, won 200.00: 8!'],
      ...['100.00 refunded: 8!', 'not enough money: 7'],
    ])
    const settle = analyzeWhatIf(betOf(historyOf('settled'), 'settled'), 1)?.rows.map(
      (row) => `${row.had}: ${said(row)}`,
    )
    expect(settle).toEqual([
      ': 5!',
      '100.00 staked: +250 settled',
      ...['100.00 staked, won 250.00: =', '100.00 staked, lost: +250'],
      ...['100.00 refunded: 20!', 'not enough money: 5!'],
    ])
  })
})

describe('the what-if view of recorded histories', () => {
  test.each(['lost-answer', 'late-answer', 'late-call', 'corrected'])(
    'moves in "%s" the money that was moved',
    (name) => {
      const text = readFileSync(new URL(`histories/${name}.json`, import.meta.url), 'utf8')
      const { wallet } = JSON.parse(text) as { wallet: WalletBetDetail }
      for (const [i, call] of wallet.history.entries()) {
        const judged = analyzeWhatIf(wallet, i)
        const own = judged?.rows.find(({ isOwn }) => isOwn)
        expect(judged?.isAsRecorded).toBe(true)
        expect(own?.forPlayer).toBe(sumDecimals(['0.00', ...call.transfers.map(({ amount }) => amount)]))
        expect(own?.moves).toHaveLength(call.transfers.length)
      }
    },
  )
  test('reports an answer that differs from these rules, and judges later calls by the recorded state', () => {
    const text = readFileSync(new URL('histories/corrected.json', import.meta.url), 'utf8')
    const { wallet } = JSON.parse(text) as { wallet: WalletBetDetail }
    const history = wallet.history.filter(({ operation }) => operation === 'settle')
    const judged = history.map((_, i) => analyzeWhatIf({ ...wallet, history }, i))
    expect(judged.map((one) => one?.isAsRecorded)).toEqual([false, true])
    expect(judged[1]?.rows.find(({ isOwn }) => isOwn)).toMatchObject({ known: 'settled', forPlayer: '-27.70' })
  })
})
