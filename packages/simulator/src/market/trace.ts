/** The trace of a run: its events in words, and a hash of the events that compares two runs. */
import { createHash } from 'node:crypto'

export interface Trace {
  note(event: string): void
  /** Counts a situation. */
  mark(name: string): void
  readonly marks: ReadonlyMap<string, number>
  story(): readonly string[]
  hash(): string
}

/** `elapsed`: milliseconds since the start. */
export function createTrace(elapsed: () => number): Trace {
  const all = createHash('sha256')
  const lines: string[] = []
  const marks = new Map<string, number>()
  return {
    note(event) {
      const line = `${formatTime(elapsed())} ${event}`
      all.update(`${line}\n`)
      lines.push(line)
    },
    mark: (name) => void marks.set(name, (marks.get(name) ?? 0) + 1),
    marks,
    story: () => lines,
    hash: () => all.copy().digest('hex').slice(0, 16),
  }
}

function formatTime(milliseconds: number): string {
  const [minutes, rest] = [Math.floor(milliseconds / 60_000), milliseconds % 60_000]
  return `${minutes}:${`${rest / 1_000}`.padStart(2, '0')}`.padEnd(8, ' ')
}
