/** What has happened in a run: its events as a story, and a hash over all of them, by which two runs are compared. */
import { createHash } from 'node:crypto'

export interface Trace {
  /** Of the parties, in the order of the run. */
  note(event: string): void
  /** How often something happened that a night must meet. */
  mark(name: string): void
  readonly marks: ReadonlyMap<string, number>
  story(): readonly string[]
  /** Of everything so far. */
  hash(): string
}

/** `elapsed`: milliseconds since the beginning. */
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

/** Minutes, seconds and milliseconds. */
function formatTime(milliseconds: number): string {
  const [minutes, rest] = [Math.floor(milliseconds / 60_000), milliseconds % 60_000]
  return `${minutes}:${`${rest / 1_000}`.padStart(2, '0')}`.padEnd(8, ' ')
}
