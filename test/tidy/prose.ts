/**
 * Measures the prose that people read: comments, Markdown, and the texts of commands, errors, API
 * descriptions and pages. Each finding names its rule, so that a folder can have a ceiling for each.
 */

export type ProseRule = 'subjectless' | 'markers' | 'wide' | 'bareIds'

export interface Finding {
  readonly rule: ProseRule
  readonly line: number
  readonly text: string
}

export interface Prose {
  readonly sentences: number
  readonly words: number
  readonly findings: readonly Finding[]
}

interface Passage {
  readonly line: number
  readonly prose: string
}

const MAX_COLUMNS = 100
/** A text with fewer words is a label, which needs no verb. */
const SENTENCE_WORDS = 3
const USER_TEXT_WORDS = 5

const NO_SUBJECT = /^(What|Whatever|Who|Whoever|Whose|Those|Of|One that|One who|Whether)\b/
const MARKER = new RegExp(
  [
    'what (is|was|are|were|has|had|it|they|a|an|the|that|came|comes|stands|hangs|remains|follows|can|cannot|could|must|may|would|of)',
    'whoever',
    'whatever',
    'who (is|was|has|asks|plays|comes|waits|makes|holds|sends|names|reads|knows|may|would)',
    'those (who|that|which|of|in)',
    'that of',
    'of (it|them|all)',
    'one that',
    'one who',
    'nobody',
    'somebody',
    '(is|are) none',
    'so (many|much|few)',
    'told',
    'tells? of',
    'hears?',
    'heard',
    'says so',
    'comes? to',
    '(stands?|lies?|waits?|goes|runs?|is|are|was|were) behind',
    'beside (it|that|them|others?|other work|much)',
  ]
    .map((one) => `\\b${one}\\b`)
    .join('|'),
  'gi',
)
const DECISION_ID = /\b[A-Z]-\d+\b/g

/** `path` is relative to the root of the repository and decides which texts are read. */
export function proseOf(path: string, text: string): Prose {
  const isMarkdown = path.endsWith('.md')
  const passages = isMarkdown ? paragraphsOf(text) : [...commentsOf(text), ...userTextsOf(path, text)]
  const sentences = passages.flatMap(({ line, prose }) => sentencesOf(prose).map((sentence) => ({ line, sentence })))
  const findings = sentences.flatMap(({ line, sentence }) =>
    rulesBrokenBy(sentence).map((rule) => ({ rule, line, text: sentence })),
  )
  const bare = isMarkdown ? [] : commentsOf(text).filter(({ prose }) => isBareId(prose))
  return {
    sentences: sentences.length,
    words: sentences.reduce((sum, { sentence }) => sum + wordsOf(sentence), 0),
    findings: [
      ...findings,
      ...bare.map(({ line, prose }) => ({ rule: 'bareIds' as const, line, text: prose })),
      ...(isMarkdown ? [] : wideComments(text)),
    ],
  }
}

function sentencesOf(prose: string): string[] {
  const plain = prose.split(/(?<=[.!?:])\s+(?=[A-Z`"'(])/).map((sentence) => {
    return sentence
      .replace(/`[^`]*`/g, 'X')
      .replace(/[*_]/g, '')
      .trim()
  })
  return plain.filter((sentence) => wordsOf(sentence) >= SENTENCE_WORDS)
}

function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).length
}

function rulesBrokenBy(sentence: string): ProseRule[] {
  const markers = sentence.match(MARKER) ?? []
  const hasNoSubject = NO_SUBJECT.test(sentence) && !sentence.endsWith('?')
  return [...(hasNoSubject ? ['subjectless' as const] : []), ...markers.map(() => 'markers' as const)]
}

/** A reader who does not know the id by heart learns nothing from it alone. */
function isBareId(prose: string): boolean {
  if (prose.match(DECISION_ID) === null) return false
  const rest = prose.replace(DECISION_ID, ' ').match(/[A-Za-z]{2,}/g) ?? []
  return rest.length < SENTENCE_WORDS
}

function wideComments(text: string): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const isWide = line.length > MAX_COLUMNS && /^\s*(\/\*\*|\*|\/\/)/.test(line)
    return isWide ? [{ rule: 'wide' as const, line: index + 1, text: line.trim() }] : []
  })
}

function commentsOf(text: string): Passage[] {
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\/|(?<=^|\s)\/\/ (.*)$/gm)].map((match) => {
    const lines = (match[1] ?? match[2] ?? '').split('\n').map((line) => line.replace(/^\s*\* ?/, ''))
    const prose = lines.filter((line) => !/[─►▲▼│└┌]/.test(line)).join(' ')
    return { line: lineAt(text, match.index), prose: prose.replace(/\s+/g, ' ').trim() }
  })
}

const HAS_USER_TEXTS = /(^|\/)(console|cli|process|config|operator|http|conformance|openapi|load|reconcile)\b/
const IS_CODE = /[;={}]|\$\d|select |insert |update |from purser/i

/** String literals and JSX texts of five words and more. */
function userTextsOf(path: string, text: string): Passage[] {
  if (path.startsWith('test/') || path.includes('/test/') || !HAS_USER_TEXTS.test(path)) return []
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(/(['"])((?:\\.|(?!\1).){20,})\1|>([^<>{}]{20,})</g)].flatMap((match) => {
    const prose = (match[2] ?? match[3] ?? '').replace(/\s+/g, ' ').trim()
    if (wordsOf(prose) < USER_TEXT_WORDS || IS_CODE.test(prose)) return []
    return [{ line: lineAt(code, match.index), prose }]
  })
}

function paragraphsOf(text: string): Passage[] {
  const passages: { line: number; prose: string }[] = [{ line: 1, prose: '' }]
  let isFenced = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) isFenced = !isFenced
    const isProse = !isFenced && !/^\s*(```|#|\||<|!\[)/.test(line) && line.trim() !== ''
    if (!isProse || /^\s*([-*]|\d+\.) /.test(line)) passages.push({ line: index + 1, prose: '' })
    const last = passages.at(-1)
    if (isProse && last !== undefined) last.prose += ` ${withoutMarks(line)}`
  }
  return passages.filter(({ prose }) => prose !== '').map(({ line, prose }) => ({ line, prose: prose.trim() }))
}

function withoutMarks(line: string): string {
  return line
    .replace(/^\s*([-*]|\d+\.) /, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
