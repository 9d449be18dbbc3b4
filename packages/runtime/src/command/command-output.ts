/** Output of commands: examples for `--help`, and results on stdout. */
import { printableLines } from '../text/printable-text.ts'

export function formatExamples(...lines: string[]): string {
  return `Examples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
}

/** Escapes control characters, because results contain ids and answers from other programs. */
export function printResult(text: string): void {
  process.stdout.write(`${printableLines(text)}\n`)
}
