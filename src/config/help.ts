/** What commands write: the parts of `--help` that commander does not (examples in front, settings behind), and results on stdout. */
import { printableLines } from '../runtime/printable.ts'
import { brokenAt, WIDTH } from '../runtime/wrapped.ts'
import { type Reader, settingsOf } from './settings.ts'

export function examples(...lines: string[]): string {
  return `Examples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
}

export function environment(...readers: readonly Reader[]): string {
  const settings = settingsOf(readers)
  const width = Math.max(...settings.map(({ name }) => name.length)) + 2
  const lines = settings.flatMap(({ name, meaning, ...setting }) => {
    const fallback = setting.default === undefined ? '' : ` [${setting.default}]`
    const texts = brokenAt(WIDTH - width - 2, `${meaning}${fallback}`)
    return texts.map((text, i) => `  ${(i === 0 ? name : '').padEnd(width)}${text}`)
  })
  return `\nEnvironment:\n${lines.join('\n')}\n\nSecrets can also be given as NAME_FILE, the path of a file that holds them.`
}

/** Results, JSON included. Ids and answers in them come from elsewhere. */
export function print(text: string): void {
  process.stdout.write(`${printableLines(text)}\n`)
}
