/** The parts of a Markdown page that the tests hold against the world: code blocks, links, headings. */

/** A fenced block; `info` is what stands behind the fence: `sh`, `sh server`, `text`. */
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

/** Text without code, where brackets mean links. */
function prose(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
}

/** Targets of links within the repository. */
export function relativeLinksOf(markdown: string): string[] {
  const targets = [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(({ 1: target = '' }) => target)
  return targets.filter((target) => !/^[a-z]+:/.test(target))
}

/** Anchors that GitHub gives to the headings of a page, and those of rows that define a decision. */
export function anchorsOf(markdown: string): string[] {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)
  const ids = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(({ 1: id = '' }) => id)
  return [...[...headings].map(({ 1: heading = '' }) => anchorOf(heading)), ...ids]
}

function anchorOf(heading: string): string {
  const plain = heading.replace(/\]\([^)]*\)/g, ']').toLowerCase()
  return plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
}

/** A table row's or heading's decision id, where it is defined: `| **S-1** | …`. */
export function definedIdsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^\| (?:<a id="[a-z]-\d+"><\/a>)?\*\*([A-Z]-\d+)\*\* \|/gm)].map(({ 1: id = '' }) => id)
}

/** Decision ids named anywhere in a text, not as part of a longer word; `I-1 to I-4` names its two ends. */
export function namedIdsOf(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])([SRMILPOCWUD]-\d+)(?![\w.-]*\w)/g)].map(({ 1: id = '' }) => id)
}
