/**
 * Phases of a call with their starts: the platform's phases (C-18), and the wallet's phases within
 * them (W-30).
 */
import type { AttemptView, JournalCallDetail } from '@purser/timeline/bet-sources'

export interface CallPhase {
  readonly name: string
  readonly description: string
  /** Milliseconds since the start of the call. */
  readonly from: number
  readonly ms: number
  /** True for a phase of the wallet within a phase of the platform. */
  readonly isInWallet: boolean
}

type PhaseStep = readonly [name: string, description: string, ms: number | undefined]
type WalletTiming = Pick<JournalCallDetail, 'at' | 'milliseconds'>
type PlatformTiming = Pick<AttemptView, 'startedAt' | 'durationMs' | 'phases'>

/** An absent phase has no row. */
function layOutPhases(steps: readonly PhaseStep[], begun: number, isInWallet: boolean): CallPhase[] {
  let from = begun
  return steps.flatMap(([name, description, ms]) => {
    if (ms === undefined) return []
    const phase = { name, description, from, ms, isInWallet }
    from += ms
    return [phase]
  })
}

function stepsOfWallet({ arrival, queue, database, reply, work }: JournalCallDetail['milliseconds']): PhaseStep[] {
  return [
    ['receive', 'from the first byte to the whole request', arrival],
    ...(queue === undefined
      ? [['processing', 'from the whole request to the response', work] as const]
      : [
          ['queue', 'until the batch of the call started', queue] as const,
          ['database', 'the batch, from the first statement to the commit', database ?? 0] as const,
          ['respond', 'until the response was written', reply ?? 0] as const,
        ]),
  ]
}

const sumSteps = (steps: readonly PhaseStep[]) => steps.reduce((sum, [, , ms = 0]) => sum + ms, 0)

function stepsOfPlatform({ durationMs, phases }: PlatformTiming): PhaseStep[] {
  if (phases === undefined) return [['call', 'from the request to the end of the response', durationMs]]
  const steps: PhaseStep[] = [
    ['DNS', 'lookup of the host name', phases.dnsMs],
    ['connect', 'TCP connection', phases.connectMs],
    ['TLS', 'TLS handshake', phases.tlsMs],
    ['first byte', 'from the request to the first byte of the response', phases.firstByteMs],
    ['body', 'the rest of the response', phases.bodyMs],
  ]
  const waited = Math.max(0, durationMs - sumSteps(steps))
  return [['queued', 'waiting for a connection', waited >= 1 ? waited : undefined], ...steps]
}

/**
 * A connection may have started before its call. If the phases are longer than the call, they start
 * earlier instead of ending later.
 */
function alignToEnd(durationMs: number, phases: readonly CallPhase[]): CallPhase[] {
  const over = Math.max(0, Math.max(0, ...phases.map(({ from, ms }) => from + ms)) - durationMs)
  return phases.map((phase) => ({ ...phase, from: Math.max(0, phase.from - over) }))
}

/** The wallet's start comes from its own clock, limited to the platform's wait for the answer. */
export function computePhases(journalCall: WalletTiming | undefined, attempt: PlatformTiming | undefined): CallPhase[] {
  const inside = journalCall === undefined ? [] : stepsOfWallet(journalCall.milliseconds)
  if (attempt === undefined) return layOutPhases(inside, 0, false)
  const outside = alignToEnd(attempt.durationMs, layOutPhases(stepsOfPlatform(attempt), 0, false))
  const i = outside.findIndex(({ name }) => name === 'first byte' || name === 'call')
  const around = outside[i]
  if (journalCall === undefined || around === undefined) return outside
  const latest = around.from + Math.max(0, around.ms - sumSteps(inside))
  const began = Date.parse(journalCall.at) - Date.parse(attempt.startedAt)
  const wallet = layOutPhases(inside, Math.min(Math.max(began, around.from), latest), true)
  return [...outside.slice(0, i + 1), ...wallet, ...outside.slice(i + 1)]
}
