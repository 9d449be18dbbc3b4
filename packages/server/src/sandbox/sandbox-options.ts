/** Command-line options of the sandbox. */

import { toDouble } from '@purser/protocol/values/money'
import { ConfigError } from '../core/config/config.ts'
import type { SandboxOptions } from './sandbox-run.ts'

export interface SandboxFlags {
  readonly rate: string
  readonly duration: string
  readonly faults: string
  readonly seed?: string
  readonly quiet?: true
  readonly gateway?: true
  readonly addresses?: true
}

/** Bets per second that one process with an embedded database can place. */
const MAX_RATE = 200
const MAX_DURATION = 7 * 86_400
const MAX_SEED = 2 ** 31 - 1

/** Throws `ConfigError` with every fault. */
export function parseSandboxOptions({ rate, duration, faults, seed, ...flags }: SandboxFlags): SandboxOptions {
  const problems: string[] = []
  const read = (name: string, written: string, max: number) => {
    const value = /^\d{1,10}(\.\d{1,6})?$/.test(written) ? toDouble(written) : Number.NaN
    if (!(value <= max)) problems.push(`--${name} must be a number from 0 to ${max}, not "${written}"`)
    return value
  }
  const options = {
    rate: read('rate', rate, MAX_RATE),
    duration: read('duration', duration, MAX_DURATION),
    faults: read('faults', faults, 1),
    seed: seed === undefined ? Date.now() % 1_000_000 : read('seed', seed, MAX_SEED),
    quiet: flags.quiet === true,
    gateway: flags.gateway === true,
    addresses: flags.addresses === true,
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return options
}
