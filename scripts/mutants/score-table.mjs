/**
 * Updates the table of mutation scores by folder between the markers of a page. A folder without
 * new mutations keeps its row.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { toFolder } from './sample.mjs'

const BEGIN = '<!-- scores by folder: written by the command -->'
const END = '<!-- scores: end -->'
const HEAD =
  '| Folder | Planted | Seen | Survived | No test | Nearest tests | Seed | Commit | Date |\n|---|---|---|---|---|---|---|---|---|\n'

export function writeScores(page, results, of) {
  writeFileSync(page, withScores(readFileSync(page, 'utf8'), results, of))
}

/**
 * `of` has the commit, the seed and the highest number of tests per fault; `date` has the form
 * 2026-11-28.
 */
export function withScores(text, results, { commit, seed, near, date = new Date().toISOString().slice(0, 10) }) {
  const [before, rest, ...more] = text.split(BEGIN)
  const [old, after] = rest?.split(END) ?? []
  if (after === undefined || more.length > 0) throw new Error(`the page has no place for scores: ${BEGIN} … ${END}`)
  const rows = new Map([...old.matchAll(/^\| `(packages\/[^`]+)` .*$/gm)].map(([row, folder]) => [folder, row]))
  for (const folder of new Set(results.map(({ fault }) => toFolder(fault.path)))) {
    const mine = results.filter(({ fault }) => toFolder(fault.path) === folder)
    const count = (wanted) => mine.filter(({ verdict }) => verdict === wanted).length
    const cells = [mine.length, count('seen'), count('survived'), count('no test'), near, seed, `\`${commit}\``, date]
    rows.set(folder, `| \`${folder}\` | ${cells.join(' | ')} |`)
  }
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => `${row}\n`)
  return `${before}${BEGIN}\n\n${HEAD}${sorted.join('')}\n${END}${after}`
}
