// Parses the command lines of the benches and reports usage errors.
import { type ParseArgsConfig, parseArgs } from 'node:util'

export class UsageError extends Error {}

export function parseArguments<const O extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: O) {
  try {
    return parseArgs({ args, options })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : `${error}`)
  }
}

export function parsePositive(name: string, text: string): number {
  const value = Math.trunc(+text)
  if (!(value > 0)) throw new UsageError(`--${name} must be a whole number above 0, not ${text}`)
  return value
}
