/**
 * Progress line of a load, renewed each second. An output that cannot replace a line shows none.
 */

import type { LoadTick } from '../worker/worker-task.ts'
import { createLatencyHistogram } from './latency-histogram.ts'
import { formatAsMilliseconds } from './report-text.ts'

export interface LoadTerminal {
  write(text: string): void
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface LoadProgress {
  tick(tick: LoadTick): void
  showStatus(text: string): void
  end(): void
}

const CLEAR_LINE = '\r\u001b[2K'
/** For a terminal that does not report its width. */
const DEFAULT_COLUMNS = 80

/** The line appears after every worker has reported. */
export function createLoadProgress(terminal: LoadTerminal, workers: number): LoadProgress {
  if (!terminal.isTTY) return { tick() {}, showStatus() {}, end() {} }
  let ticks: LoadTick[] = []
  let seconds = 0
  const showStatus = (text: string) =>
    terminal.write(CLEAR_LINE + text.slice(0, (terminal.columns || DEFAULT_COLUMNS) - 1))
  return {
    showStatus,
    tick(tick) {
      ticks.push(tick)
      if (ticks.length < workers) return
      seconds++
      showStatus(`${seconds} s  ${summarizeTicks(ticks)}`)
      ticks = []
    },
    end: () => terminal.write(CLEAR_LINE),
  }
}

export function summarizeTicks(ticks: readonly LoadTick[]): string {
  const latency = createLatencyHistogram(2)
  for (const tick of ticks) latency.add(tick.latency)
  const sum = (name: 'answered' | 'refused' | 'unanswered') => ticks.reduce((total, tick) => total + tick[name], 0)
  const times =
    latency.count === 0
      ? ''
      : `  p50 ${formatAsMilliseconds(latency.percentile(50))} ms  p99 ${formatAsMilliseconds(latency.percentile(99))} ms`
  return `${latency.count} calls${times}  refused ${sum('refused')}  no answer ${sum('unanswered')}`
}
