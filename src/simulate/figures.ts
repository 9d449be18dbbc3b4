/**
 * What a command has found out, written by itself into a page of the docs: between two marks that name it, with the day, the commit, the machine and
 * the command. `<!-- figures of level 2: written by the command -->` … `<!-- figures: end -->`
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { world } from '../runtime/world.ts'
import { WrongUse } from '../runtime/wrong-use.ts'

export interface Figures {
  /** Of the marks: `level 2`. */
  readonly of: string
  /** As it is typed. */
  readonly command: string
  readonly text: string
}

const END = '<!-- figures: end -->'
const begin = (of: string) => `<!-- figures of ${of}: written by the command -->`

/** Throws when the page has no place for them. */
export function writeFigures(path: string, figures: Figures): void {
  writeFileSync(path, withFigures(readFileSync(path, 'utf8'), figures, { at: new Date(world.wall()), by: machine() }))
}

/** Throws before anything was measured. */
export function requirePlace(path: string, of: string): void {
  partsOf(readFileSync(path, 'utf8'), of)
}

export function withFigures(
  page: string,
  { of, command, text }: Figures,
  { at, by }: { at: Date; by: string },
): string {
  const { before, behind } = partsOf(page, of)
  const day = at.toISOString().slice(0, 10)
  return `${before}${begin(of)}\n\`${command}\`, ${day}, ${by}:\n\n${text}\n${END}${behind}`
}

function partsOf(page: string, of: string) {
  const [before, rest = ''] = page.split(begin(of))
  const at = rest.indexOf(END)
  if (before === undefined || at < 0) throw new WrongUse(`the page has no place for the figures of ${of}: ${begin(of)}`)
  return { before, behind: rest.slice(at + END.length) }
}

/** As lines that stood on a terminal. What was met fills a screen, so it is counted. */
export function asOutput(lines: readonly string[]): string {
  return ['```console', ...lines.map(counted), '```'].join('\n')
}

const MET = 'met: '
/** `12 × a mark, 3 × another one`: a mark may have commas of its own. */
const counted = (line: string) =>
  line.startsWith(MET) ? `${MET}${line.match(/\d+ × /g)?.length ?? 0} different marks` : line

/** The commit, processors and Node. */
function machine(): string {
  const [first] = cpus()
  const name = first?.model.trim() ?? 'processors'
  return `commit ${commitOf()}, ${cpus().length} × ${name}, Node ${process.versions.node}`
}

/** Of the working copy, docs aside; what is installed as a package has none. */
export function commitOf(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    const commit = git('rev-parse', '--short=8', 'HEAD')
    return git('status', '--porcelain', '--', '.', ':!docs') === '' ? commit : `${commit} with changes`
  } catch {
    return 'unknown'
  }
}
