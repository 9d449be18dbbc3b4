/**
 * Turns decision ids in the docs into links to their sections. Writers write only the id, `S-5` or
 * `(S-5)`. The link has the title of the decision, and an id that is alone in parentheses shows the
 * title.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where ids are defined, as headings of sections. */
const DEFINING = ['docs/reference/decisions.md', 'docs/concepts/gateway.md']
/** A heading with its title: `### S-5: One operation per body`. */
const HEADING = /^### (?:<a id="[a-z]-\d+"><\/a>)?([A-Z]-\d+): (.+)$/gm
/** A link of an earlier run. */
const LINKED_ID = /\[([A-Z]-\d+)[^\]\n]*\]\([^)\s]*#([a-z]-\d+)(?: "[^"\n]*")?\)/g
/** Text that stays as it is: code, links, and the heading of a decision. */
const LEFT_ALONE = /^```[\s\S]*?^```$|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\)|^### <a id=.*$/gm
const ID = /(?<![\w-])(\()?([A-Z]-\d+)(?![\w.-]*\w)(\))?/g

export const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .sort(),
]

/** Each id with the page and the title of its section. */
function findDefinitions() {
  const found = DEFINING.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    return [...text.matchAll(HEADING)].map(([, id, title]) => [id, { page, title }])
  })
  return new Map(found)
}

/** The page's text with each known id as a link, and an anchor at each heading of a decision. */
export function linkIds(page, text) {
  const definitions = findDefinitions()
  const link = (whole, open = '', id, close = '') => {
    const { page: target, title } = definitions.get(id) ?? {}
    if (target === undefined) return whole
    const path = target === page ? '' : relative(dirname(page), target)
    const shown = open && close ? `${id} ${toLowerFirst(title)}` : id
    return `${open}[${shown}](${path}#${id.toLowerCase()} "${title}")${close}`
  }
  const bare = text.replace(LINKED_ID, (whole, id, anchor) => (id.toLowerCase() === anchor ? id : whole))
  const anchored = bare.replace(HEADING, (_heading, id, title) => `### <a id="${id.toLowerCase()}"></a>${id}: ${title}`)
  let done = 0
  let linked = ''
  for (const { 0: kept, index } of anchored.matchAll(LEFT_ALONE)) {
    linked += anchored.slice(done, index).replace(ID, link) + kept
    done = index + kept.length
  }
  return linked + anchored.slice(done).replace(ID, link)
}

/** `One clock` as `one clock`, but `UTC days` as it is. */
function toLowerFirst(title) {
  return /^[A-Z][a-z]/.test(title) ? title[0].toLowerCase() + title.slice(1) : title
}
