/**
 * Command line that repeats a conformance run against its target. Secrets are replaced by
 * variables.
 */

import { parseHeaders } from '@purser/runtime/network/extra-headers'
import { quoteForShell } from '@purser/runtime/text/curl-command'
import type { CommonConformanceFlags } from './conformance-command.ts'
import { stripCredentials } from './http-exchange.ts'
import type { ConformanceReport } from './reports/conformance-report.ts'

/** `value` true: an option without a value. `variable`: written in place of the value. */
export interface CommandOption {
  readonly name: string
  readonly value: string | true | undefined
  readonly variable?: string
}

/** `--only ID` can be appended. Options about the report are omitted. */
export function formatRerunCommand(
  judged: ConformanceReport['judged'],
  target: readonly CommandOption[],
  flags: CommonConformanceFlags,
  program: string,
): string {
  const common: readonly CommandOption[] = [
    ...(flags.header ?? []).map(toHeaderOption),
    { name: '--pace', value: flags.pace },
    { name: '--strict', value: flags.strict },
    { name: '--complete', value: flags.complete },
  ]
  return [program, judged, ...[...target, ...common].flatMap(toArguments)].join(' ')
}

/** 'Authorization: Basic …' becomes "authorization: $AUTHORIZATION". */
function toHeaderOption(text: string): CommandOption {
  const [name = ''] = Object.keys(parseHeaders([text]))
  const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  return { name: '--header', value: text, variable: `${name}: $${variable}` }
}

function toArguments({ name, value, variable }: CommandOption): string[] {
  if (value === undefined) return []
  if (value === true) return [name]
  return [name, variable === undefined ? quoteArgument(value) : `"${variable}"`]
}

function quoteArgument(value: string): string {
  const text = stripCredentials(value)
  return /^[\w./:@%+=-]+$/.test(text) ? text : quoteForShell(text)
}
