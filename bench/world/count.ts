/**
 * Counts how often a wallet reads the time, sets timers and draws random numbers (environment.ts).
 * `node --import` loads this file before the wallet. On SIGUSR2 it writes the counts to the file
 * that WORLD_COUNTS names.
 */
import { renameSync, writeFileSync } from 'node:fs'
import type * as Runtime from '@purser/runtime/environment'

/** The wallet's own module; this file belongs to another build. */
const ITS = import.meta.resolve('@purser/runtime/environment')
const { replaceEnvironment, environment } = (await import(ITS)) as typeof Runtime

const real = { ...environment }
const counts: Record<string, number> = {}

const counted = Object.entries(real).map(([name, part]) => [
  name,
  (...values: unknown[]) => {
    counts[name] = (counts[name] ?? 0) + 1
    return (part as (...values: unknown[]) => unknown)(...values)
  },
])
replaceEnvironment(Object.fromEntries(counted))
const file = process.env.WORLD_COUNTS ?? ''
process.on('SIGUSR2', () => {
  writeFileSync(`${file}.new`, JSON.stringify(counts))
  renameSync(`${file}.new`, file) // a reader never sees half a file
})
