/** The phases of a call, each with where it began: as the platform saw them (C-18), and within those the wallet's own (W-30). */
import type { Attempt, JournalCall } from '../../src/timeline/sources.ts'

export interface Phase {
  readonly name: string
  readonly says: string
  /** Milliseconds since the call began. */
  readonly from: number
  readonly ms: number
  /** Within one that the platform saw. */
  readonly isInWallet: boolean
}

type Step = readonly [name: string, says: string, ms: number | undefined]
type Seen = Pick<JournalCall, 'at' | 'milliseconds'>
type Made = Pick<Attempt, 'startedAt' | 'durationMs' | 'phases'>

/** What was not there has no row. */
function inARow(steps: readonly Step[], begun: number, isInWallet: boolean): Phase[] {
  let from = begun
  return steps.flatMap(([name, says, ms]) => {
    if (ms === undefined) return []
    const phase = { name, says, from, ms, isInWallet }
    from += ms
    return [phase]
  })
}

function stepsOfWallet({ arrival, queue, database, reply, work }: JournalCall['milliseconds']): Step[] {
  return [
    ['arrival', 'from its first byte to the whole body', arrival],
    ...(queue === undefined
      ? [['work', 'from the whole body to the answer', work] as const]
      : [
          ['queue', 'until its batch began', queue] as const,
          ['database', 'its batch, from the first statement to the commit', database ?? 0] as const,
          ['reply', 'the rest, until the answer was written', reply ?? 0] as const,
        ]),
  ]
}

const sumOf = (steps: readonly Step[]) => steps.reduce((sum, [, , ms = 0]) => sum + ms, 0)

function stepsOfPlatform({ durationMs, phases }: Made): Step[] {
  if (phases === undefined) return [['call', 'from the request to the end of its answer', durationMs]]
  const steps: Step[] = [
    ['name', 'the host was looked up', phases.nameMs],
    ['connection', 'a connection was made', phases.connectMs],
    ['TLS', 'it was secured', phases.tlsMs],
    ['answer', 'from the request to the first byte of its answer', phases.firstByteMs],
    ['rest', 'of the answer', phases.bodyMs],
  ]
  const waited = Math.max(0, durationMs - sumOf(steps))
  return [['waiting', 'for a connection', waited >= 1 ? waited : undefined], ...steps]
}

/** A connection may have been begun before the call that then got it: what is too long for the call began before it, not its answer later. */
function endingAt(durationMs: number, phases: readonly Phase[]): Phase[] {
  const over = Math.max(0, Math.max(0, ...phases.map(({ from, ms }) => from + ms)) - durationMs)
  return phases.map((phase) => ({ ...phase, from: Math.max(0, phase.from - over) }))
}

/** The wallet began by its own clock, and within the answer that the platform waited for. */
export function phasesOf(seen: Seen | undefined, made: Made | undefined): Phase[] {
  const inside = seen === undefined ? [] : stepsOfWallet(seen.milliseconds)
  if (made === undefined) return inARow(inside, 0, false)
  const outside = endingAt(made.durationMs, inARow(stepsOfPlatform(made), 0, false))
  const i = outside.findIndex(({ name }) => name === 'answer' || name === 'call')
  const around = outside[i]
  if (seen === undefined || around === undefined) return outside
  const latest = around.from + Math.max(0, around.ms - sumOf(inside))
  const began = Date.parse(seen.at) - Date.parse(made.startedAt)
  const wallet = inARow(inside, Math.min(Math.max(began, around.from), latest), true)
  return [...outside.slice(0, i + 1), ...wallet, ...outside.slice(i + 1)]
}
