/** The figures of the last full run stand in the docs, written by the command itself. */
import { readFileSync, writeFileSync } from 'node:fs'

const PAGE = 'docs/concepts/reliability.md'
const [BEGIN, END] = ['<!-- faults: written by npm run faults -->', '<!-- faults: end -->']

export function writeFigures(table: string, command: string, machine: string): void {
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), table, { command, machine, at: new Date() }))
}

interface Run {
  readonly command: string
  readonly machine: string
  readonly at: Date
}

export function withFigures(page: string, table: string, { command, machine, at }: Run): string {
  const [before, rest = ''] = page.split(BEGIN)
  const [, after] = rest.split(END)
  if (before === undefined || after === undefined) throw new Error(`${PAGE} has no place for the figures`)
  const head = `\`${command}\`, ${at.toISOString().slice(0, 10)}, ${machine}:`
  return `${before}${BEGIN}\n${head}\n\n${table}\n${END}${after}`
}
