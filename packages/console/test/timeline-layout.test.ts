/**
 * In every timeline, texts are inside the picture and do not overlap. Every movement of money is
 * shown, even with many events at once.
 */
import { readFileSync } from 'node:fs'
import { buildCaseHistory } from '@purser/conformance/reports/failure-timeline'
import { sumDecimals } from '@purser/protocol/values/decimal'
import { formatSigned } from '@purser/timeline/amount-text'
import { buildBetHistory } from '@purser/timeline/bet-history'
import type { BetSources } from '@purser/timeline/bet-sources'
import type { SvgElement } from '@purser/timeline/drawing/svg'
import { drawTimeline } from '@purser/timeline/drawing/timeline-drawing'
import type { BetHistory } from '@purser/timeline/drawing/timeline-moments'
import { describe, expect, test } from 'vitest'
import { type Box, markBoxesOf, partsOf, textBoxesOf } from './text-boxes.ts'

type Scale = 'compact' | 'time'

const NAMES = ['corrected', 'four-results', 'late-answer', 'late-call', 'lost-answer', 'retries']
const recorded = (name: string): string => readFileSync(new URL(`histories/${name}.json`, import.meta.url), 'utf8')

/** Changes each time in a history. */
function retimed(text: string, to: (ms: number) => number): string {
  const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
  return text.replace(times, (at) => new Date(to(Date.parse(at))).toISOString())
}
const firstOf = (text: string) => Math.min(...buildBetHistory(JSON.parse(text)).moments.map(({ at }) => at))

/** Changes that keep a history valid. */
const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'as it was': (text) => text,
  'given up': (text) => text.replaceAll('"status": "done"', '"status": "stuck"'),
  'within some milliseconds': (text) => {
    const first = firstOf(text)
    return retimed(text, (ms) => first + Math.trunc((ms - first) / 1_000))
  },
  'within some milliseconds, and the end an hour later': (text) => {
    const first = firstOf(text)
    const last = Math.max(...buildBetHistory(JSON.parse(text)).moments.map(({ at }) => at))
    return retimed(text, (ms) => (ms >= last - 200 ? ms + 3_600_000 : first + Math.trunc((ms - first) / 1_000)))
  },
  'over months, with a lot of money': (text) => {
    const first = firstOf(text)
    const large = text.replace(/("(?:amount|balance|payout|stake)": ")(-?)(\d+\.\d\d")/g, '$1$212345678$3')
    return retimed(large, (ms) => first + (ms - first) * 100_000)
  },
}

const viewOf = (sources: BetSources): Readonly<Record<string, BetHistory>> => ({
  'both sides': buildBetHistory(sources),
  'the wallet alone': buildBetHistory({ wallet: sources.wallet, journal: sources.journal }),
  'the platform alone': buildBetHistory({ platform: sources.platform }),
})

function* pictures(): Generator<[what: string, history: BetHistory, scale: Scale]> {
  for (const name of NAMES)
    for (const [change, changed] of Object.entries(CHANGES))
      for (const [view, history] of Object.entries(viewOf(JSON.parse(changed(recorded(name))))))
        for (const scale of ['compact', 'time'] as const)
          yield [`${name}, ${change}, ${view}, ${scale}`, history, scale]
}
const all = [...pictures()].map(([what, history, scale]) => ({
  what,
  history,
  picture: drawTimeline(history, { scale }),
}))

const isOn = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

function overlapsIn(picture: SvgElement): string[] {
  const boxes = textBoxesOf(picture)
  return boxes.flatMap((one, i) =>
    boxes.slice(i + 1).flatMap((other) => (isOn(one, other) ? [`"${one.text}" on "${other.text}"`] : [])),
  )
}

function outsideOf(picture: SvgElement): string[] {
  const [left = 0, top = 0, width = 0, height = 0] = String(picture.attrs.viewBox).split(' ').map(Number)
  return textBoxesOf(picture)
    .filter((box) => box.left < left || box.right > left + width || box.top < top || box.bottom > top + height)
    .map(({ text }) => text)
}

/** The faults in all pictures, by name of the picture. */
function faults(of: (picture: SvgElement, history: BetHistory) => readonly string[]): string[] {
  return all.flatMap(({ what, picture, history }) => of(picture, history).map((fault) => `${what}: ${fault}`))
}

describe('every picture of a timeline', () => {
  test('contains all its words', () => expect(faults(outsideOf)).toEqual([]))
  test('has no overlapping words', () => expect(faults(overlapsIn)).toEqual([]))
  test('has no mark on a word', () => {
    expect(
      faults((picture) => {
        const marks = markBoxesOf(picture)
        return textBoxesOf(picture).flatMap((text) =>
          marks.filter((mark) => isOn(mark, text)).map(({ text: mark }) => `${mark} on "${text.text}"`),
        )
      }),
    ).toEqual([])
  })
  test('shows each amount that moved, or the number of movements and their sum', () => {
    const moneyTexts = (picture: SvgElement) =>
      textBoxesOf({ ...picture, children: partsOf(picture, 'text').filter(isOfMoney) }).map(({ text }) => text)
    expect(
      faults((picture, { moments }) => {
        const moved = moments.flatMap((one) => (one.kind === 'call' ? one.transfers.map(({ amount }) => amount) : []))
        const some = moved.filter((amount) => !/^-?[0.]+$/.test(amount))
        const lines = moneyTexts(picture)
        const counted = lines.map((line) => Number(/ in (\d+) transfers$/.exec(line)?.[1] ?? 1))
        const sum = sumDecimals(lines.map((line) => line.split(' ')[0]?.replace(/[+,]/g, '').replace('−', '-') ?? ''))
        const isAll = counted.reduce((total, one) => total + one, 0) === some.length
        return isAll && formatSigned(sum) === formatSigned(sumDecimals(some))
          ? []
          : [`${lines.join('; ')} of ${some.join(' ')}`]
      }),
    ).toEqual([])
  })
})

/** True for an amount, also in a part of the text. */
const isOfMoney = (text: SvgElement) =>
  [text, ...partsOf(text, 'tspan')].some(({ attrs }) => String(attrs.class).startsWith('tl-amount'))

test('the picture of a corrected result fits the page, and one with five results is not much wider', () => {
  const widthOf = (name: string) =>
    Number(drawTimeline(buildBetHistory(JSON.parse(recorded(name))), { scale: 'compact' }).attrs.width)
  expect(widthOf('corrected')).toBe(920)
  expect(widthOf('four-results')).toBeLessThan(1_100)
})

test('the picture has room for forty concurrent attempts and then an hour without any', () => {
  const history = buildBetHistory(JSON.parse(recorded('retries')))
  const calls = history.moments.filter(({ kind }) => kind === 'call')
  const [first, last] = [calls[0], calls.at(-1)]
  if (first === undefined || last === undefined) throw new Error('no calls')
  const tries = Array.from({ length: 40 }, (_, i) => ({ ...first, id: `try-${i}` }))
  const moments = [...tries, { ...last, at: first.at + 3_600_000 }]
  const picture = drawTimeline({ ...history, moments }, { scale: 'time' })
  expect([overlapsIn(picture), outsideOf(picture)]).toEqual([[], []])
  const bars = partsOf(picture, 'rect').filter(({ attrs }) => attrs.class === 'tl-bar')
  const [then = 0, hour = 0] = bars.slice(-2).map(({ attrs }) => Number(attrs.x))
  expect(bars).toHaveLength(41)
  expect(hour - then, 'they are apart, and the hour is after them').toBeGreaterThan(0)
})

test('the picture has room for the calls of a kit case with answers of unknown wallets', () => {
  const answer = (status: number, body: string) => ({ kind: 'some', status, contentType: '', body }) as const
  const call = (what: string, body: string, at: number, status = 200) => ({
    what,
    request: { method: 'POST', url: 'http://127.0.0.1:9/payment/bet', headers: {}, body: '{"type":1}' },
    answer: answer(status, body),
    startedAt: new Date(at),
    durationMs: 2,
  })
  const look = (amount: string, at: number) => ({
    ...call('Balance', `{"amount":${amount},"currency":"EUR"}`, at),
    request: { method: 'POST', url: 'http://127.0.0.1:9/user/balance', headers: {}, body: '{"token":"A"}' },
    isLook: true as const,
  })
  const history = buildCaseHistory([
    look('123456789012345678', 0),
    call('WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW', '{"code":"WWWWWWWWWWWWWWWW"}', 1, 400),
    call('賭けを置く賭けを置く賭けを置く賭けを置く', '{"code":"賭けを置く賭けを置く"}', 2, 400),
    look('0.12345678', 3),
    call('Place bet X 100', '{}', 4),
    look('1.12345678', 5),
  ])
  const picture = drawTimeline(history, { scale: 'compact', isStill: true })
  expect([overlapsIn(picture), outsideOf(picture)]).toEqual([[], []])
})

test.each([
  7,
  99,
  1_100,
  31_000,
  59_000,
  61_000,
  31 * 60_000,
  59 * 60_000,
  61 * 60_000,
  49 * 3_600_000,
  71 * 3_600_000,
  400 * 86_400_000,
])('an axis of %d ms has a few evenly spaced ticks with different times', (span) => {
  const history = buildBetHistory(JSON.parse(recorded('retries')))
  const first = history.moments.find(({ kind }) => kind === 'decision')
  if (first === undefined) throw new Error('no decision')
  const moments = [first, { ...first, id: 'last', at: first.at + span }]
  const picture = drawTimeline({ ...history, moments }, { scale: 'time' })
  const ticks = partsOf(picture, 'text').filter(({ attrs }) => attrs.class === 'tl-tick-label')
  const labels = ticks.map((tick) => textBoxesOf(tick)[0]?.text ?? '').slice(1)
  expect(labels.length, labels.join(' ')).toBeGreaterThanOrEqual(2)
  const parts = labels.map((label) => /^\+(\d+) (ms|s|min|h|d)$/.exec(label) ?? [])
  expect(new Set(parts.map(([, , unit]) => unit ?? 'none')).size, labels.join(' ')).toBe(1)
  const [each = 0, ...more] = parts.map(([, count]) => Number(count ?? 0))
  expect(each).toBeGreaterThan(0)
  expect(more).toEqual(more.map((_, i) => each * (i + 2)))
})
