/** Finds the parts of a Markdown page that tests check: code blocks, links, headings. */

/** A fenced block. `info` is the text after the fence: `sh`, `sh server`, `text`. */
export interface Block {
  readonly info: string
  readonly text: string
  /** Line of the opening fence. */
  readonly line: number
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```([^\n`]*)\n([\s\S]*?)^```$/gm)].map(({ 1: info = '', 2: text = '', index }) => ({
    info: info.trim(),
    text,
    line: markdown.slice(0, index).split('\n').length,
  }))
}

/** The text without code, where brackets are no links. */
function prose(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
}

export function relativeLinksOf(markdown: string): string[] {
  const targets = [...prose(markdown).matchAll(/\]\(([^)\s]+)(?: "[^"\n]*")?\)/g)].map(({ 1: target = '' }) => target)
  return targets.filter((target) => !/^[a-z]+:/.test(target))
}

/** Anchors that GitHub gives to headings, and the anchors of sections that define a decision. */
export function anchorsOf(markdown: string): string[] {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)
  const ids = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(({ 1: id = '' }) => id)
  return [...[...headings].map(({ 1: heading = '' }) => anchorOf(heading)), ...ids]
}

function anchorOf(heading: string): string {
  const plain = heading.replace(/\]\([^)]*\)/g, ']').toLowerCase()
  return plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
}

/** Decision ids in the headings that define them: `### S-1: Signature format`. */
export function definedIdsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^### (?:<a id="[a-z]-\d+"><\/a>)?([A-Z]-\d+): ./gm)].map(({ 1: id = '' }) => id)
}

/** Decision ids in a text, outside longer words; `I-1 to I-4` has two. */
export function namedIdsOf(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])([SRMILPOCWUD]-\d+)(?![\w.-]*\w)/g)].map(({ 1: id = '' }) => id)
}
