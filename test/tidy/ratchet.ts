/**
 * Compares the numbers of prose and name faults in each folder with ceilings.
 *
 * A folder may have fewer faults than its ceiling, never more. A folder without a ceiling may have
 * only the faults that the target allows. `npm run ceilings` lowers the ceilings to the current
 * numbers and raises none.
 */
import { type NamedText, type NameRule, namesThatArePrivate } from './names.ts'
import { type ProseRule, proseOf } from './prose.ts'

export type Figures = Readonly<Record<ProseRule | NameRule, number>>
export type Ceilings = Readonly<Record<string, Partial<Figures>>>

interface Folder {
  sentences: number
  words: number
  readonly figures: Record<ProseRule | NameRule, number>
  readonly findings: string[]
}

/** The target: at most 1 % of the sentences without a subject, and 2 markers per 1,000 words. */
const TARGET = { subjectless: 0.01, markers: 0.002 }

/**
 * The first two segments, as in `docs/guides`; in a package the first three, and in the server
 * more. A file in the root has its own ceiling.
 */
export function folderOf(path: string): string {
  const segments = path.split('/')
  const depth = DEPTHS.find(([start]) => path.startsWith(start))?.[1] ?? 2
  return segments.length === 1 ? path : segments.slice(0, -1).slice(0, depth).join('/')
}

const DEPTHS: readonly (readonly [start: string, depth: number])[] = [
  ['packages/server/src/', 5],
  ['packages/server/test/', 4],
  ['packages/', 3],
]

export function measure(files: readonly NamedText[]): Map<string, Folder> {
  const folders = new Map<string, Folder>()
  for (const { path, text } of files) {
    const folder = folders.get(folderOf(path)) ?? emptyFolder()
    folders.set(folderOf(path), folder)
    const { sentences, words, findings } = proseOf(path, text)
    folder.sentences += sentences
    folder.words += words
    for (const { rule, line, text: found } of findings) {
      folder.figures[rule] += 1
      folder.findings.push(`${path}:${line}: ${rule}: ${found}`)
    }
    for (const { rule, message } of /\.(md|json)$/.test(path) ? [] : namesThatArePrivate({ path, text })) {
      folder.figures[rule] += 1
      folder.findings.push(`${message} (${rule})`)
    }
  }
  return folders
}

function emptyFolder(): Folder {
  const figures = { subjectless: 0, markers: 0, wide: 0, bareIds: 0, titles: 0, privateNames: 0, participles: 0 }
  return { sentences: 0, words: 0, figures, findings: [] }
}

export function complaintsAboutCeilings(folders: ReadonlyMap<string, Folder>, ceilings: Ceilings): string[] {
  return [...folders].flatMap(([name, folder]) =>
    rulesOf(folder.figures).flatMap((rule) => {
      const ceiling = Math.max(ceilings[name]?.[rule] ?? 0, allowed(rule, folder))
      if (folder.figures[rule] <= ceiling) return []
      const places = folder.findings.filter((finding) => finding.includes(rule))
      return [`${name}: ${rule}: ${folder.figures[rule]}, the ceiling is ${ceiling}\n  ${places.join('\n  ')}`]
    }),
  )
}

/**
 * The current figures where they are lower than the ceilings. A folder or rule without faults is
 * left out.
 */
export function lowered(folders: ReadonlyMap<string, Folder>, ceilings: Ceilings): Ceilings {
  const rows = [...folders].map(([name, { figures }]): [string, Partial<Figures>] => {
    const ceiling = (rule: ProseRule | NameRule) => Math.min(figures[rule], ceilings[name]?.[rule] ?? 0)
    const kept = rulesOf(figures).filter((rule) => ceiling(rule) > 0)
    return [name, Object.fromEntries(kept.map((rule) => [rule, ceiling(rule)]))]
  })
  return Object.fromEntries(rows.filter(([, row]) => Object.keys(row).length > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function allowed(rule: ProseRule | NameRule, { sentences, words }: Folder): number {
  if (rule === 'subjectless') return Math.floor(TARGET.subjectless * sentences)
  return rule === 'markers' ? Math.floor(TARGET.markers * words) : 0
}

function rulesOf(figures: Figures): (ProseRule | NameRule)[] {
  return Object.keys(figures) as (ProseRule | NameRule)[]
}
