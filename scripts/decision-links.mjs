/** Decision ids as links: whoever reads `S-5` in a page gets to its row with a click. Writers write the bare id. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where ids are defined, as rows of tables. */
const DEFINING = ['docs/reference/decisions.md', 'docs/concepts/gateway.md']
const ROW = /^\| (?:<a id="[a-z]-\d+"><\/a>)?\*\*([A-Z]-\d+)\*\* \|/gm
/** What is left as it is: code, links, and the id that a row defines. */
const LEFT_ALONE = /^```[\s\S]*?^```$|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\)|^\| <a id="[^"]*"><\/a>\*\*[A-Z]-\d+\*\* \|/gm
const ID = /(?<![\w-])([A-Z]-\d+)(?![\w.-]*\w)/g

export const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .sort(),
]

/** Each id with the page of its row. */
function findDefinitions() {
  const found = DEFINING.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    return [...text.matchAll(ROW)].map(([, id]) => [id, page])
  })
  return new Map(found)
}

/** The page's text with every known id as a link, and an anchor at each row that defines one. */
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
