/** Loaded before a wallet (`node --import`): counts what it asks the world for, and writes that to $WORLD_COUNTS each time it is told to (SIGUSR2). */
import { renameSync, writeFileSync } from 'node:fs'
import type * as Runtime from '../../src/runtime/environment.ts'

/** The wallet's own: this file is of another build. */
const ITS = new URL('../../../dist/runtime/environment.js', import.meta.url).href
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
  renameSync(`${file}.new`, file) // whole, whenever somebody looks
})
