/** Turns decision ids in pages into links to their rows. Authors write the bare id (`S-5`). */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Pages whose tables define ids. */
const DEFINING = ['docs/reference/decisions.md', 'docs/concepts/gateway.md']
const ROW = /^\| (?:<a id="[a-z]-\d+"><\/a>)?\*\*([A-Z]-\d+)\*\* \|/gm
/** Text that stays unchanged: code, links, and the id that a row defines. */
const LEFT_ALONE = /^```[\s\S]*?^```$|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\)|^\| <a id="[^"]*"><\/a>\*\*[A-Z]-\d+\*\* \|/gm
const ID = /(?<![\w-])([A-Z]-\d+)(?![\w.-]*\w)/g

export const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .sort(),
]

/** Id → page of its row. */
function findDefinitions() {
  const found = DEFINING.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    return [...text.matchAll(ROW)].map(([, id]) => [id, page])
  })
  return new Map(found)
}

/**
 * Returns the text with each known id as a link, and with an anchor at each row that defines an id.
 */
export function linkIds(page, text) {
  const definitions = findDefinitions()
  const link = (id) => {
    const target = definitions.get(id)
    if (target === undefined) return id
    const path = target === page ? '' : relative(dirname(page), target)
    return `[${id}](${path}#${id.toLowerCase()})`
  }
  const anchored = text.replace(ROW, (_row, id) => `| <a id="${id.toLowerCase()}"></a>**${id}** |`)
  let done = 0
  let linked = ''
  for (const { 0: kept, index } of anchored.matchAll(LEFT_ALONE)) {
    linked += anchored.slice(done, index).replace(ID, link) + kept
    done = index + kept.length
  }
  return linked + anchored.slice(done).replace(ID, link)
}
