/**
 * Parses JSON without loss, for the judges of the fuzzer. Each number keeps its digits, each member
 * its place, and duplicate members remain.
 *
 * The parser is written from RFC 8259 and shares no line with the code that it judges. It uses no
 * recursion, because a body of 256 KiB can be nested 131,072 deep.
 */
export type JsonNode =
  | ({ readonly kind: 'object'; readonly members: Member[] } & Place)
  | ({ readonly kind: 'list'; readonly items: JsonNode[] } & Place)
  | ({ readonly kind: 'string'; readonly value: string } & Place)
  | ({ readonly kind: 'number'; readonly written: string } & Place)
  | ({ readonly kind: 'word'; readonly value: true | false | null } & Place)

export interface Place {
  start: number
  end: number
}

export interface Member {
  readonly name: string
  readonly value: JsonNode
}

export type JsonObjectNode = Extract<JsonNode, { kind: 'object' }>

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them as they are
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y
const WORDS = { true: true, false: false, null: null } as const

interface Open {
  readonly node: Extract<JsonNode, { kind: 'object' | 'list' }>
  name: string
}

/** Undefined if the text is no JSON. */
export function readJsonNode(text: string): JsonNode | undefined {
  const reader = new Reader(text)
  const open: Open[] = []
  for (;;) {
    let done: JsonNode | undefined
    const start = reader.skip()
    const sign = text[start]
    if (sign === '{' || sign === '[') {
      reader.at++
      const node: Open['node'] =
        sign === '{' ? { kind: 'object', members: [], start, end: 0 } : { kind: 'list', items: [], start, end: 0 }
      if (!reader.takes(sign === '{' ? '}' : ']')) {
        const name = sign === '{' ? reader.name() : ''
        if (name === undefined) return undefined
        open.push({ node, name })
        continue
      }
      node.end = reader.at
      done = node
    } else done = reader.scalar()
    if (done === undefined) return undefined
    const next = close(reader, open, done)
    if (next !== 'more') return next === 'broken' || reader.skip() < text.length ? undefined : next
  }
}

/** Adds a value to its parent, and closes the parents that end after it. */
function close(reader: Reader, open: Open[], value: JsonNode): JsonNode | 'more' | 'broken' {
  for (let done = value; ; ) {
    const last = open.at(-1)
    if (last === undefined) return done
    const { node } = last
    if (node.kind === 'object') node.members.push({ name: last.name, value: done })
    else node.items.push(done)
    if (reader.takes(',')) {
      const name = node.kind === 'object' ? reader.name() : ''
      if (name === undefined) return 'broken'
      last.name = name
      return 'more'
    }
    if (!reader.takes(node.kind === 'object' ? '}' : ']')) return 'broken'
    node.end = reader.at
    open.pop()
    done = node
  }
}

class Reader {
  at = 0
  readonly text: string
  constructor(text: string) {
    this.text = text
  }

  skip(): number {
    this.match(SPACE)
    return this.at
  }

  takes(sign: string): boolean {
    if (this.text[this.skip()] !== sign) return false
    this.at++
    return true
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  name(): string | undefined {
    this.skip()
    const written = this.match(STRING)
    return written !== undefined && this.takes(':') ? unescaped(written) : undefined
  }

  scalar(): JsonNode | undefined {
    const start = this.skip()
    const string = this.match(STRING)
    if (string !== undefined) return { kind: 'string', value: unescaped(string), start, end: this.at }
    const written = this.match(NUMBER)
    if (written !== undefined) return { kind: 'number', written, start, end: this.at }
    const word = this.match(WORD) as keyof typeof WORDS | undefined
    return word === undefined ? undefined : { kind: 'word', value: WORDS[word], start, end: this.at }
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function unescaped(written: string): string {
  return written
    .slice(1, -1)
    .replaceAll(/\\(?:u(....)|(.))/g, (_all, code: string | undefined, sign: string) =>
      code === undefined ? (ESCAPES[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
    )
}

/** The last value of a repeated name counts, as in JSON.parse. */
export function lastOf(object: JsonObjectNode, name: string): JsonNode | undefined {
  return object.members.findLast((member) => member.name === name)?.value
}

/** An exact decimal: `digits` times ten to the power of `exponent`. */
export interface Exact {
  readonly isNegative: boolean
  readonly digits: string
  readonly exponent: bigint
}

export function exactOf(written: string): Exact {
  const [mantissa = '', power = '0'] = written.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const bare = withoutTrailingZeros(digits)
  const exponent = BigInt(power.replace('+', '')) - BigInt(fraction.length) + BigInt(digits.length - bare.length)
  return { isNegative: written.startsWith('-'), digits: bare, exponent: bare === '' ? 0n : exponent }
}

/** Reads each digit once; a regular expression would take quadratic time for many zeros. */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

export function sameValue(a: string, b: string): boolean {
  const [one, other] = [exactOf(a), exactOf(b)]
  return one.isNegative === other.isNegative && one.digits === other.digits && one.exponent === other.exponent
}

/** True if a double holds the value exactly; -0 is not 0. */
export function isHeld(written: string): boolean {
  const value = Number(written)
  return Number.isFinite(value) && sameValue(written, String(value))
}

/** Minor units; undefined if negative (-0 too), not whole, or more than 10^18 - 1. */
export function unitsOf(written: string, scale: number): bigint | undefined {
  const { isNegative, digits, exponent } = exactOf(written)
  const shift = exponent + BigInt(scale)
  if (isNegative) return undefined
  if (digits === '') return 0n
  return shift < 0n || BigInt(digits.length) + shift > 18n ? undefined : BigInt(digits) * 10n ** shift
}

/** The byte order mark before a body is no part of its JSON (D-2). */
export function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '')
}
