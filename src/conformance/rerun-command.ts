/** The command line that judges the same target again. A secret is named by a variable, never written. */

import { parseHeaders } from '../runtime/network/extra-headers.ts'
import { quoteForShell } from '../runtime/text/curl-command.ts'
import type { CommonConformanceFlags } from './conformance-command.ts'
import { stripCredentials } from './http-exchange.ts'
import type { ConformanceReport } from './reports/conformance-report.ts'

/** One option of the command line: its value is written, or the value of this variable is named, or it has none (true). */
export interface CommandOption {
  readonly name: string
  readonly value: string | true | undefined
  readonly variable?: string
}

/** With `--only ID` behind it, one case. What is to become of the report is left to who repeats it. */
export function formatRerunCommand(
  judged: ConformanceReport['judged'],
  target: readonly CommandOption[],
  flags: CommonConformanceFlags,
): string {
  const common: readonly CommandOption[] = [
    ...(flags.header ?? []).map(toHeaderOption),
    { name: '--pace', value: flags.pace },
    { name: '--strict', value: flags.strict },
    { name: '--complete', value: flags.complete },
  ]
  return ['purser conformance', judged, ...[...target, ...common].flatMap(toArguments)].join(' ')
}

/** 'Authorization: Basic …' is "authorization: $AUTHORIZATION". */
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
