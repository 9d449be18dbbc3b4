/** One line on a terminal that says each second how the load goes; nothing where a line cannot be replaced. */

import type { Tick } from './drive.ts'
import { newHistogram } from './latency.ts'
import { ms } from './text.ts'

export interface Terminal {
  write(text: string): void
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Live {
  tick(tick: Tick): void
  say(text: string): void
  end(): void
}

const CLEAR_LINE = '\r\u001b[2K'
/** Of a terminal that does not tell. */
const USUAL_COLUMNS = 80

/** A line is shown when every worker has said something. */
export function liveOn(terminal: Terminal, workers: number): Live {
  if (!terminal.isTTY) return { tick() {}, say() {}, end() {} }
  let ticks: Tick[] = []
  let seconds = 0
  const say = (text: string) => terminal.write(CLEAR_LINE + text.slice(0, (terminal.columns || USUAL_COLUMNS) - 1))
  return {
    say,
    tick(tick) {
      ticks.push(tick)
      if (ticks.length < workers) return
      seconds++
      say(`${seconds} s  ${secondOf(ticks)}`)
      ticks = []
    },
    end: () => terminal.write(CLEAR_LINE),
  }
}

export function secondOf(ticks: readonly Tick[]): string {
  const latency = newHistogram(2)
  for (const tick of ticks) latency.add(tick.latency)
  const sum = (name: 'answered' | 'refused' | 'unanswered') => ticks.reduce((total, tick) => total + tick[name], 0)
  const times =
    latency.count === 0 ? '' : `  p50 ${ms(latency.percentile(50))} ms  p99 ${ms(latency.percentile(99))} ms`
  return `${latency.count} calls${times}  refused ${sum('refused')}  no answer ${sum('unanswered')}`
}
