/**
 * Judges one test platform, correct or a mutant, by the kit over HTTP. All times are shortened by
 * the same factor.
 */

import type { PlatformCase } from '../../src/platform/platform-case.ts'
import { PLATFORM_CASES } from '../../src/platform/platform-cases.ts'
import { createApiDriver } from '../../src/platform/play/api-driver.ts'
import { createKitTiming } from '../../src/platform/play/kit-timing.ts'
import type { PlatformDriver } from '../../src/platform/play/platform-driver.ts'
import { runPlatformKit } from '../../src/platform/play/platform-kit-run.ts'
import type { ConformanceReport } from '../../src/reports/conformance-report.ts'
import { type Behaviour, rightBehaviour } from './behaviour.ts'
import { startTestPlatform } from './platform.ts'

/** 5 s become 1 s. */
const SCALE = 0.2
/** Milliseconds that a busy machine may add to any time. */
const NOISE_MS = 80
/** The six minutes of a Rollback become 10.8 s. */
const SLOW_SCALE = 0.03

export interface JudgeOptions {
  readonly fault?: (right: Behaviour) => Partial<Behaviour>
  /** Judges only the slow cases. */
  readonly slow?: boolean
  /** Judges only this case. */
  readonly only?: string | undefined
}

const isSlow = (one: PlatformCase) => one.kind === 'scene' && one.slow === true

export async function judgeTestPlatform({ fault, slow = false, only }: JudgeOptions): Promise<ConformanceReport> {
  const scale = slow ? SLOW_SCALE : SCALE
  const right = rightBehaviour(scale)
  const platform = await startTestPlatform({ ...right, ...fault?.(right) })
  const { drive, close } = createApiDriver(platform)
  const driveAll: PlatformDriver = async (wish) => {
    if (wish.do !== 'restart') return drive(wish)
    await platform.restart()
    return { kind: 'done' }
  }
  try {
    return await runPlatformKit({
      cases: PLATFORM_CASES,
      isWanted: (one) => isSlow(one) === slow && (only === undefined || one.id === only),
      drive: driveAll,
      target: platform.url,
      timing: createKitTiming(scale, NOISE_MS),
      listen: { host: '127.0.0.1', port: 0 },
      isSlow: slow,
      isStrict: true,
      signal: new AbortController().signal,
      onResult: () => {},
    })
  } finally {
    await platform.stop()
    await close()
  }
}

export function failing(report: ConformanceReport): string[] {
  return report.results.filter(({ verdict }) => verdict.kind === 'failed').map(({ id }) => id)
}

/** Includes the cases without a verdict. */
export function notPassed(report: ConformanceReport): string[] {
  return report.results.filter(({ verdict }) => verdict.kind !== 'passed').map(({ id }) => id)
}
