/** The command line that judges the same target again. A secret is named by a variable, never written. */
import { shellQuoted } from '../runtime/curl.ts'
import { readHeaders } from '../runtime/headers.ts'
import type { CommonFlags } from './command.ts'
import { withoutCredentials } from './exchange.ts'
import type { Report } from './report/report.ts'

/** One option of the command line: its value is written, or the value of this variable is named, or it has none (true). */
export interface Option {
  readonly name: string
  readonly value: string | true | undefined
  readonly variable?: string
}

/** With `--only ID` behind it, one case. What is to become of the report is left to who repeats it. */
export function againOf(judged: Report['judged'], target: readonly Option[], flags: CommonFlags): string {
  const common: readonly Option[] = [
    ...(flags.header ?? []).map(headerOption),
    { name: '--pace', value: flags.pace },
    { name: '--strict', value: flags.strict },
    { name: '--complete', value: flags.complete },
  ]
  return ['purser conformance', judged, ...[...target, ...common].flatMap(wordsOf)].join(' ')
}

/** 'Authorization: Basic …' is "authorization: $AUTHORIZATION". */
function headerOption(text: string): Option {
  const [name = ''] = Object.keys(readHeaders([text]))
  const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  return { name: '--header', value: text, variable: `${name}: $${variable}` }
}

function wordsOf({ name, value, variable }: Option): string[] {
  if (value === undefined) return []
  if (value === true) return [name]
  return [name, variable === undefined ? wordOf(value) : `"${variable}"`]
}

function wordOf(value: string): string {
  const text = withoutCredentials(value)
  return /^[\w./:@%+=-]+$/.test(text) ? text : shellQuoted(text)
}
