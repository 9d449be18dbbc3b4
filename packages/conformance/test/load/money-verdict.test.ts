import { describe, expect, test } from 'vitest'
import { parseCallMix } from '../../src/load/call-mix.ts'
import { judgeAllMoney, judgePlayerMoney, sortWorstFirst } from '../../src/load/money-verdict.ts'
import { countCall, createCallTally, mergeTally } from '../../src/load/report/call-tally.ts'
import {
  computePercentileCurve,
  computePercentiles,
  createLatencyHistogram,
  recordLatency,
} from '../../src/load/report/latency-histogram.ts'
import { buildLoadReport } from '../../src/load/report/load-report.ts'
import { renderLoadHtml } from '../../src/load/report/report-page.ts'
import { formatLoadReport, plainLoadPaint } from '../../src/load/report/report-text.ts'

const player = (userId: string) => ({ userId, token: `token-of-${userId}`, currency: 'EUR', scale: 2 })
const players = ['ann', 'bob', 'cid'].map(player)
const open = [{ player: 2, betId: 'bet-1', operation: 'settle' as const, why: 'HTTP status 500' }]
const before = [1_000n, 1_000n, 1_000n]
const moved = new Map([
  [0, -250n],
  [1, 40n],
])

describe('the verdict on the money', () => {
  const verdicts = (after: (bigint | string)[], doubts: typeof open = []) =>
    judgePlayerMoney(players, { before, after }, moved, doubts).map(({ verdict }) => verdict)

  test('is right if every player has the balance that the acknowledged calls produce', () => {
    expect(verdicts([750n, 1_040n, 1_000n])).toEqual(['right', 'right', 'right'])
  })

  test('is wrong by one minor unit, and undecided if a call is in doubt or a balance was not read', () => {
    expect(verdicts([750n, 1_041n, 1_000n], open)).toEqual(['right', 'wrong', 'undecided'])
    expect(verdicts([750n, 1_040n, 'the balance cannot be read'])).toEqual(['right', 'right', 'undecided'])
  })

  test('of all players is the worst of each', () => {
    const all = (after: (bigint | string)[], doubts: typeof open = []) =>
      judgeAllMoney(judgePlayerMoney(players, { before, after }, moved, doubts), 1)
    expect(all([750n, 1_040n, 1_000n])).toBe('right')
    expect(all([750n, 1_040n, 1_000n], open)).toBe('undecided')
    expect(all([751n, 1_040n, 1_000n], open)).toBe('wrong')
  })

  test('of a load without an accepted bet is undecided, unless a balance is wrong', () => {
    const all = (after: bigint[]) => judgeAllMoney(judgePlayerMoney(players, { before, after }, new Map(), []), 0)
    expect(all([1_000n, 1_000n, 1_000n])).toBe('undecided')
    expect(all([1_000n, 1_000n, 1_001n])).toBe('wrong')
  })
})

const options = {
  ...{
    baseUrl: 'http://wallet.example/<b>',
    secrets: ['a-shared-secret'],
    headers: {},
    rate: 10,
    durationMs: 2_000,
    stake: ['1', '5'] as const,
  },
  ...{ players: { kind: 'file' as const, path: 'x' }, mix: parseCallMix('place=1'), zipf: 1, seed: 7, workers: 1 },
  ...{ connections: 4, stallTimeoutMs: 1_000 },
}

function report() {
  const tally = createCallTally()
  const accepted = { kind: 'accepted', reply: {} } as const
  for (let call = 0; call < 19; call++)
    countCall(tally, { kind: 'place', outcome: accepted, interval: Math.trunc(call / 10), tookMs: call + 1 })
  const outcome = { kind: 'unknown', reason: 'time_out', detail: 'no complete answer within 5000 ms' } as const
  countCall(tally, { kind: 'settle', outcome, interval: 1, tookMs: 5_000 })
  countCall(tally, { kind: 'place', outcome: { kind: 'refused', code: 7, message: 'no' }, interval: 1, tookMs: 1 })
  const driven = { tally, moved, open, doubts: 3, unsent: 2, busy: 0.95, loadMs: 2_000, gaveUp: false }
  const judged = judgePlayerMoney(players, { before, after: [750n, 1_041n, 1_000n] }, moved, open)
  return buildLoadReport({
    ...{
      options,
      startedAt: new Date(0),
      intervalMs: 1_000,
      driven,
      players: sortWorstFirst(judged),
      wasInterrupted: true,
    },
  })
}

describe('the load test report', () => {
  test('on a terminal ends with the verdict, after the players with a wrong balance', () => {
    const lines = formatLoadReport(report(), plainLoadPaint).trimEnd().split('\n')
    expect(lines.slice(-3)).toEqual([
      '  wrong bob: before 10.00, expected 10.40, actual 10.41 EUR (+0.01)',
      '  undecided cid: before 10.00, expected 10.00, actual 10.00 EUR: settle of bet bet-1: HTTP status 500',
      'The money is wrong: 1 of 3 balances is not the expected one.',
    ])
    expect(lines.find((line) => line.startsWith('all'))).toMatch(/^all +21 +10 +19 +1 +1 .* 500\d\.\d\d$/)
    expect(lines).toEqual(expect.arrayContaining(['place: code 7: 1', 'settle: time out: 1']))
  })

  test('as a page has the verdict as its headline, every player, two charts, and no foreign markup', () => {
    const html = renderLoadHtml(report())
    expect(html).toMatch(/<h1><strong>The money is wrong: 1 of 3/)
    expect(html.match(/<tr class="(wrong|undecided|right)">/g)).toHaveLength(3)
    expect(html.match(/<svg /g)).toHaveLength(2)
    expect(html).not.toMatch(/NaN|Infinity|undefined/)
    expect(html).toContain('http://wallet.example/&lt;b&gt;')
    expect(html).not.toMatch(/ style=|<script|https?:\/\/(?!wallet)/)
  })

  test('contains no token and no secret in any form', () => {
    const found = report()
    for (const text of [renderLoadHtml(found), formatLoadReport(found, plainLoadPaint), JSON.stringify(found)])
      expect(text).not.toMatch(/token-of|a-shared-secret/)
  })

  test('of a load that sent no call is a page too', () => {
    const driven = {
      tally: createCallTally(),
      moved: new Map(),
      open: [],
      doubts: 0,
      unsent: 0,
      busy: 0,
      loadMs: 0,
      gaveUp: false,
    }
    const found = buildLoadReport({
      options,
      startedAt: new Date(0),
      intervalMs: 1_000,
      driven,
      players: [],
      wasInterrupted: true,
    })
    expect(renderLoadHtml(found)).not.toMatch(/NaN|Infinity|undefined/)
    expect(formatLoadReport(found, plainLoadPaint)).toContain(
      'The money is undecided: no call moved money, so nothing was tested.',
    )
  })
})

describe('the latencies of a load test', () => {
  test('of two workers are those of all their calls', () => {
    const [one, other] = [createCallTally(), createCallTally()]
    const outcome = { kind: 'accepted', reply: {} } as const
    for (let i = 1; i <= 99; i++) countCall(one, { kind: 'place', outcome, interval: 0, tookMs: 1 })
    countCall(other, { kind: 'place', outcome, interval: 3, tookMs: 100 })
    mergeTally(one, other)
    const { accepted, latency } = one.byKind.place
    expect([accepted, computePercentiles(latency)?.p50, computePercentiles(latency)?.p99]).toEqual([100, 1_000, 1_000])
    expect(computePercentiles(latency)?.max).toBeGreaterThanOrEqual(100_000)
    expect([...one.intervals.keys()]).toEqual([0, 3])
  })

  test('have a curve that is highest at the slowest call', () => {
    const histogram = createLatencyHistogram()
    for (let ms = 1; ms <= 1_000; ms++) recordLatency(histogram, ms)
    const curve = computePercentileCurve(histogram)
    expect(curve.at(-1)).toEqual({ percent: 100, us: histogram.max })
    expect(curve.map(({ us }) => us)).toEqual(curve.map(({ us }) => us).toSorted((a, b) => a - b))
    expect(curve.length).toBeGreaterThan(20)
  })
})
