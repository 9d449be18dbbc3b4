/**
 * Measures the prose that people read: comments, Markdown, titles of tests, and user-visible texts.
 * Each finding names its rule, so that a folder can have a ceiling for each.
 */
import { isNode, lineOf, memberOf, type Node, type Source, sourceOf } from './source.ts'

export type ProseRule = 'subjectless' | 'markers' | 'wide' | 'bareIds' | 'titles'

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
  const comments = isMarkdown || path.endsWith('.json') ? [] : commentsOf(text)
  const passages = isMarkdown ? paragraphsOf(text) : [...comments, ...userTextsOf(path, text)]
  const sentences = passages.flatMap(({ line, prose }) => sentencesOf(prose).map((sentence) => ({ line, sentence })))
  const findings = sentences.flatMap(({ line, sentence }) =>
    rulesBrokenBy(sentence).map((rule) => ({ rule, line, text: sentence })),
  )
  const bare = comments.filter(({ prose }) => isBareId(prose))
  return {
    sentences: sentences.length,
    words: sentences.reduce((sum, { sentence }) => sum + wordsOf(sentence), 0),
    findings: [
      ...findings,
      ...bare.map(({ line, prose }) => ({ rule: 'bareIds' as const, line, text: prose })),
      ...(isMarkdown ? [] : wideComments(text)),
      ...(/\.test\.tsx?$/.test(path) ? titleFaults(sourceOf(path, text)) : []),
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

/** An id alone says nothing to a reader who does not know it by heart. */
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

const HAS_USER_TEXTS =
  /(^|\/)(console|cli|process|config|operator|http|conformance|openapi|load|reconcile|people|platform|gateway|feed|wallet|protocol|sandbox)\b/
const IS_CODE = /[;={}]|\$\d|select |insert |update |from purser/i

/** String literals, one-line templates and JSX texts with five words or more. */
function userTextsOf(path: string, text: string): Passage[] {
  if (path.endsWith('.json')) return descriptionsOf(text)
  if (path.startsWith('test/') || path.includes('/test/') || !HAS_USER_TEXTS.test(path)) return []
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(/(['"`])((?:\\.|(?!\1).){20,})\1|>([^<>{}]{20,})</g)].flatMap((match) => {
    const prose = (match[2] ?? match[3] ?? '')
      .replace(/\$\{[^}]*\}/g, 'X')
      .replace(/\s+/g, ' ')
      .trim()
    if (wordsOf(prose) < USER_TEXT_WORDS || IS_CODE.test(prose)) return []
    return [{ line: lineAt(code, match.index), prose }]
  })
}

/** The texts of an OpenAPI document, whose generator writes each member on its own line. */
function descriptionsOf(text: string): Passage[] {
  return text.split('\n').flatMap((line, index) => {
    const [, written] = line.match(/^ *"(?:title|summary|description)": (".*"),?$/) ?? []
    const paragraphs = written === undefined ? [] : (JSON.parse(written) as string).split('\n\n')
    return paragraphs.map((prose) => ({ line: index + 1, prose: prose.replace(/\s+/g, ' ') }))
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

const TITLE_WORDS = 4
/** A title that begins with such a word has no subject of its own. */
const CONTINUES = /^(what|whatever|who|whoever|whose|those|of|whether|nor|so|and|but|also)\b/i
const AUXILIARY =
  /\b(is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|will|would|should)(n't|n’t)?\b/i

/** Plain forms; a third person ends in -s. A new title may add its verb here. */
const VERBS = new Set(
  `abandon accept acknowledge act add admit adopt advance agree allow announce answer appear append apply archive arrive ask audit avoid
  balance become begin belong block book break bring call cancel carry cause change charge check choose claim classify clear close collect combine
  commit compare complete compress connect consist contain continue contradict convert copy correct cost count cover create credit cut
  debit decide decline decrypt deduct defer delay delete deliver define demand deny depend derive describe detect determine differ discard disconnect dispatch
  display distinguish double drain drop emit enable encrypt end enforce enqueue ensure enter equal erase escape evict examine exceed
  exchange exclude execute exist exit expire explain export expose extend fail fall fill filter find finish fit flag follow forget
  format forward fund gather get give go grant group grow guess halve handle hang happen hash hide hold identify ignore import include
  increase inform inherit insert install invalidate invent issue join judge keep know lack last lead leak learn leave let lie limit list listen
  live load lock log look lose lower make map mark mask match mean measure meet mention merge migrate miss move multiply name narrow need note
  notify obey observe occupy occur offer omit open order overflow overlap overtake override owe parse pass pause pay permit pin place
  plan play post precede prefer preserve prevent print probe proceed process produce promise propose protect prove publish put
  quarantine queue quote raise reach react read receive recognise recommend reconcile reconnect record recover redact reduce refer
  refund refuse reject release reload rely remain remember remind remove rename render reopen repair repeat replace reply report
  represent request require reset resettle resolve respond restart restore restrict result resume retry return reuse reveal reverse
  revert roll rotate round run save say scan search see select send separate serve set settle share shed show shut sign skip sleep slow
  sort spend split stand start state stay stop store stream strip subtract succeed suffice suggest sum support survive suspend switch
  take tell terminate time tolerate total transfer travel treat trigger truncate trust try turn undo understand uninstall unlock
  unsettle update upgrade use validate vary verify void wait wake warn win withdraw work wrap write yield
  authenticate behave declare expect fire forbid`.split(/\s+/),
)
/** These plain forms are often nouns, so only their third person counts. */
const NOUNS = new Set(
  `act answer archive audit balance block book break call cause change charge check claim close copy cost cover credit cut debit
  delay demand display double drop end escape exit export fall fill filter fit flag grant group hash import increase issue judge last
  lead limit list load lock log look map mark mask match measure merge move name need note offer order pass pause place plan play post
  probe process promise queue quote record refund release repair repeat reply report request reset result return reverse roll
  round run save scan search set settle share show sign skip sleep slow sort split stand start state stay stop store stream sum
  support switch time total transfer trigger trust try turn unlock update upgrade use void wait wake win work wrap yield`.split(
    /\s+/,
  ),
)

/**
 * A log shows only the titles of a test and its `describe`, which must form a sentence together.
 */
function titleFaults(source: Source): Finding[] {
  const calls = source.nodes.flatMap((node) => titledCall(source, node))
  return calls.flatMap((call) => {
    const outer = calls.filter(({ kind, node }) => kind === 'describe' && contains(node, call.node))
    const joined = call.titles.map((title) => [...outer.map(({ titles: [first = ''] }) => first), title].join(' '))
    const fault = call.kind === 'describe' ? undefined : joined.find((title) => !isSentence(title))
    return fault === undefined ? [] : [{ rule: 'titles' as const, line: lineOf(source, call.node.start), text: fault }]
  })
}

interface TitledCall {
  readonly kind: string
  readonly node: Node
  /** One title per row of an inline table, else one title. */
  readonly titles: readonly string[]
}

function titledCall(source: Source, node: Node): TitledCall[] {
  const callee = node.type === 'CallExpression' ? memberOf(node, 'callee') : undefined
  const [title] = argumentsOf(node)
  const [, kind] = /^(describe|it|test)\b(?!.*\.(?:each|for|skipIf|runIf)$)/s.exec(textOf(source, callee)) ?? []
  if (kind === undefined || !isText(title)) return []
  const template = textOf(source, title).slice(1, -1)
  const [table] = callee?.type === 'CallExpression' ? argumentsOf(callee) : []
  const rows = table?.type === 'ArrayExpression' && Array.isArray(table.elements) ? table.elements : [undefined]
  const titles = rows.map((row) => {
    const cell = isNode(row) && row.type === 'ArrayExpression' ? [row.elements].flat()[0] : row
    return isText(cell) ? template.replace('%s', () => textOf(source, cell).slice(1, -1)) : template
  })
  return [{ kind, node, titles }]
}

function argumentsOf(node: Node): Node[] {
  return Array.isArray(node.arguments) ? node.arguments : []
}

function isText(node: unknown): node is Node {
  return (
    isNode(node) && (node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string'))
  )
}

function textOf({ text }: Source, node: Node | undefined): string {
  return node === undefined ? '' : text.slice(node.start, node.end)
}

function contains(outer: Node, inner: Node): boolean {
  return outer !== inner && outer.start <= inner.start && inner.end <= outer.end
}

function isSentence(title: string): boolean {
  const words = title.split(/\s+/)
  return words.length >= TITLE_WORDS && !CONTINUES.test(title) && (AUXILIARY.test(title) || words.some(isVerb))
}

function isVerb(word: string): boolean {
  const plain = word.toLowerCase().replace(/[^a-z]+$/, '')
  if (VERBS.has(plain)) return !NOUNS.has(plain)
  return [/s$/, /es$/, /ies$/].some(
    (ending) => ending.test(plain) && VERBS.has(plain.replace(ending, ending.source === 'ies$' ? 'y' : '')),
  )
}
