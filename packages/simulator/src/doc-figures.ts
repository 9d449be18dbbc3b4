/**
 * Writes the figures that a command has measured into a page of the docs, between two marks:
 * - `<!-- figures of level 2: written by the command -->`
 * - `<!-- figures: end -->`
 *
 * The written text begins with the command, the day, the commit and the machine.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'

export interface DocFigures {
  /** The name in the marks: `level 2`. */
  readonly of: string
  readonly command: string
  readonly text: string
}

const END = '<!-- figures: end -->'
const beginMark = (of: string) => `<!-- figures of ${of}: written by the command -->`

/** Throws UsageError if the page has no marks for these figures. */
export function writeFigures(path: string, figures: DocFigures): void {
  writeFileSync(
    path,
    withFigures(readFileSync(path, 'utf8'), figures, { at: new Date(environment.now()), by: describeMachine() }),
  )
}

/** Throws the same error before the measurement begins. */
export function requireFiguresPlace(path: string, of: string): void {
  splitPage(readFileSync(path, 'utf8'), of)
}

export function withFigures(
  page: string,
  { of, command, text }: DocFigures,
  { at, by }: { at: Date; by: string },
): string {
  const { before, behind: after } = splitPage(page, of)
  const day = at.toISOString().slice(0, 10)
  return `${before}${beginMark(of)}\n\`${command}\`, ${day}, ${by}:\n\n${text}\n${END}${after}`
}

function splitPage(page: string, of: string) {
  const [before, rest = ''] = page.split(beginMark(of))
  const at = rest.indexOf(END)
  if (before === undefined || at < 0)
    throw new UsageError(`the page has no place for the figures of ${of}: ${beginMark(of)}`)
  return { before, behind: rest.slice(at + END.length) }
}

/** A console block. A list of marks would fill a screen, so it is replaced by its length. */
export function formatOutput(lines: readonly string[]): string {
  return ['```console', ...lines.map(shortenMarks), '```'].join('\n')
}

const MET = 'met: '
/** The list is `12 × a mark, 3 × another mark`. A mark may contain commas. */
const shortenMarks = (line: string) =>
  line.startsWith(MET) ? `${MET}${line.match(/\d+ × /g)?.length ?? 0} different marks` : line

function describeMachine(): string {
  const [first] = cpus()
  const name = first?.model.trim() ?? 'processors'
  return `commit ${readCommit()}, ${cpus().length} × ${name}, Node ${process.versions.node}`
}

/** `unknown` without a git repository. Changes in docs/ do not count. */
export function readCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    const commit = git('rev-parse', '--short=8', 'HEAD')
    return git('status', '--porcelain', '--', '.', ':!docs') === '' ? commit : `${commit} with changes`
  } catch {
    return 'unknown'
  }
}
