/** Where every moment stands on the axis: in equal steps, or in true time. */
import type { History, Moment } from './moments.ts'
import { spanOf, timeOf } from './spans.ts'

export type Scale = 'compact' | 'time'

export interface Placed {
  readonly moment: Moment
  /** Where it begins. */
  readonly x: number
  /** Of a call: how long its bar is. */
  readonly width: number
  /** Of a call: where 5 s are over, if that is in sight. */
  readonly limitX: number | undefined
  /** Whether there is room for words. */
  readonly hasRoom: boolean
}

export interface Layout {
  readonly width: number
  readonly placed: readonly Placed[]
  readonly ticks: readonly { readonly x: number; readonly label: string }[]
}

/** Milliseconds after which the platform gives up. */
export const LIMIT_MS = 5_000
export const GUTTER = 104
const STEP = 148
/** Before the next call, beside "connection lost after 14 ms". */
const LOST_STEP = 208
/** After a decision: words of the lanes below stand elsewhere, those of another decision beside it. */
const DECISION_STEP = { call: 100, decision: 132 } as const
/** In a step, so much of it is 5 s. */
const TRACK = 104
const LEAST_BAR = 9
const END = 28
/** As wide as the page usually is. */
const LEAST_WIDTH = 960
const TIME_WIDTH = 720
/** Between two captions. */
const ROOM = 116

export function layOut(history: History, scale: Scale): Layout {
  return scale === 'compact' ? compact(history.moments) : trueTime(history.moments)
}

function compact(moments: readonly Moment[]): Layout {
  let x = GUTTER
  const placed: Placed[] = []
  const ticks: { x: number; label: string }[] = []
  let before: number | undefined
  for (const [i, moment] of moments.entries()) {
    ticks.push({ x, label: before === undefined ? timeOf(moment.at) : `+${spanOf(moment.at - before)}` })
    before = moment.at
    placed.push(inStep(moment, x))
    x += stepTo(moments[i + 1], moment)
  }
  return { width: Math.max(x + END, LEAST_WIDTH), placed, ticks }
}

function stepTo(next: Moment | undefined, moment: Moment): number {
  if (moment.kind === 'decision') return DECISION_STEP[next?.kind ?? 'decision']
  return next?.kind === 'call' && moment.answer.includes('connection') ? LOST_STEP : STEP
}

function inStep(moment: Moment, x: number): Placed {
  if (moment.kind === 'decision') return { moment, x, width: 0, limitX: undefined, hasRoom: true }
  const part = Math.min(1, moment.durationMs / LIMIT_MS)
  return { moment, x, width: Math.max(LEAST_BAR, part * TRACK), limitX: x + TRACK, hasRoom: true }
}

function trueTime(moments: readonly Moment[]): Layout {
  const first = moments[0]?.at ?? 0
  const last = Math.max(...moments.map((one) => one.at + (one.kind === 'call' ? one.durationMs : 0)), first + 1)
  const perMs = TIME_WIDTH / (last - first)
  const at = (time: number) => GUTTER + (time - first) * perMs
  const ends = { decision: Number.NEGATIVE_INFINITY, call: Number.NEGATIVE_INFINITY }
  const placed = moments.map((moment): Placed => {
    const x = at(moment.at)
    const hasRoom = x - ends[moment.kind] >= ROOM
    if (hasRoom) ends[moment.kind] = x
    if (moment.kind === 'decision') return { moment, x, width: 0, limitX: undefined, hasRoom }
    const limit = LIMIT_MS * perMs
    return {
      moment,
      x,
      width: Math.max(4, moment.durationMs * perMs),
      limitX: limit > 12 && x + limit <= GUTTER + TIME_WIDTH ? x + limit : undefined,
      hasRoom,
    }
  })
  return { width: GUTTER + TIME_WIDTH + ROOM + END, placed, ticks: ticksOf(first, last, at) }
}

const STEPS_MS = [1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 60_000, 300_000, 3_600_000, 21_600_000, 86_400_000]

function ticksOf(first: number, last: number, at: (time: number) => number) {
  const span = last - first
  const step = STEPS_MS.find((one) => span / one <= 6) ?? span / 5
  const count = Math.floor(span / step)
  return Array.from({ length: count + 1 }, (_, i) => ({
    x: at(first + i * step),
    label: i === 0 ? timeOf(first) : `+${spanOf(i * step)}`,
  }))
}
