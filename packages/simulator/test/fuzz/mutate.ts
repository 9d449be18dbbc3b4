/**
 * Makes new inputs from existing ones: changed JSON, changed bytes, and sometimes a part of the
 * largest size.
 */
import type { Chance } from './chance.ts'
import { type JsonNode, type JsonObjectNode, readJsonNode } from './lossless.ts'

export const NUMBERS = [
  ...['0', '-0', '0.0', '1', '-1', '2', '3', '1.0', '10', '10.0', '12.10', '12.1000', '0.01', '0.001', '0.005', '1e2'],
  ...['1E+2', '1e-2', '1e-7', '1e-8', '100e-2', '1e0', '1e17', '1e18', '1e21', '1e99', '1e100', '1e-400', '1e400'],
  ...['1e0002', '0e999', '999999999999999', '9999999999999999', '100000000000000000', '9007199254740993'],
  ...[
    '9007199254740991',
    '0.1000000000000000055',
    '1.00000000000000000001',
    '123456789012345.6',
    '0.30000000000000004',
  ],
  ...['0.000000000000001', '2147483647', '2147483648', '-2147483648', '999999999999999999', '1000000000000000000'],
  ...['123456789.12345678', '0.12345678', '5e-324', '1.7976931348623157e308', '9999999999.99', '10000000000000.01'],
]
const TEXTS = [
  ...['', 'a', 'a'.repeat(9), 'b'.repeat(10), 'c'.repeat(36), 'd'.repeat(37), 'e'.repeat(64), 'f'.repeat(65), 'EUR'],
  ...['JPY', 'USDT', 'eur', 'XXX', 'won', 'lost', 'refund', 'cashout', 'sportsbook', 'turbogames', 'single', 'express'],
  ...[
    'nul\u0000nul-nul',
    '\ud800-lone-surrogate',
    '😀'.repeat(5),
    '😀'.repeat(20),
    'é'.repeat(10),
    'e\u0301'.repeat(6),
  ],
  ...[
    '127.0.0.1',
    '::1',
    '1.2.3',
    '::ffff:1.2.3.4',
    '2026-11-23 10:00:00',
    '2026-11-23',
    'a/b',
    "O'Neil",
    '"',
    '$&',
    '~._-',
  ],
  ...['user-1', 'player-17', '__proto__', 'constructor', '1', '\ufeff', '\u2028', 'line\nline-line'],
]
const NAMES = [
  ...['type', 'token', 'userId', 'operatorUser', 'transactionId', 'requestId', 'amount', 'currency', 'resultType'],
  ...[
    'bonusId',
    'bonusAmount',
    'metadata',
    'coefficient',
    'errorCode',
    'customFields',
    'eventId',
    'stage',
    'ip',
    'info',
  ],
  ...['__proto__', 'constructor', 'toString', 'x', '', 'ü', 'toke', 'Token', 'alg', 'crit', 'b64', 'typ', 'kid'],
]

const PLACE = { start: 0, end: 0 }

function number(chance: Chance): JsonNode {
  if (!chance.oneIn(4)) return { kind: 'number', written: chance.pick(NUMBERS), ...PLACE }
  const digits = (count: number) => Array.from({ length: count }, () => chance.below(10)).join('')
  const whole = `${1 + chance.below(9)}${digits(chance.below(17))}`
  const fraction = chance.oneIn(2) ? `.${digits(1 + chance.below(12))}` : ''
  const power = chance.oneIn(4) ? `e${chance.below(40) - 20}` : ''
  return { kind: 'number', written: whole + fraction + power, ...PLACE }
}

function anything(chance: Chance, depth = 0): JsonNode {
  switch (chance.below(depth > 2 ? 4 : 6)) {
    case 0:
    case 1:
      return number(chance)
    case 2:
      return { kind: 'string', value: chance.pick(TEXTS), ...PLACE }
    case 3:
      return { kind: 'word', value: chance.pick([true, false, null] as const), ...PLACE }
    case 4:
      return { kind: 'list', items: several(chance, () => anything(chance, depth + 1)), ...PLACE }
    default:
      return {
        kind: 'object',
        members: several(chance, () => ({ name: chance.pick(NAMES), value: anything(chance, depth + 1) })),
        ...PLACE,
      }
  }
}

function several<T>(chance: Chance, make: () => T): T[] {
  return Array.from({ length: chance.below(4) }, make)
}

/** Changes JSON; other input gets changed bytes. */
export function mutateJson(chance: Chance, bytes: Buffer): Buffer {
  const tree = readJsonNode(bytes.toString('utf8'))
  if (tree === undefined) return mutateBytes(chance, bytes)
  for (let i = chance.below(4); i > 0; i--) mutateTree(chance, tree)
  const spelled = Buffer.from(spell(chance, tree))
  return chance.oneIn(8) ? mutateBytes(chance, spelled) : spelled
}

function mutateTree(chance: Chance, tree: JsonNode): void {
  const objects = objectsIn(tree)
  const object = chance.oneIn(3) ? chance.pick(objects) : objects[0]
  if (object === undefined) return
  const { members } = object
  const at = chance.below(members.length)
  const member = members[at]
  if (member === undefined) return void members.push({ name: chance.pick(NAMES), value: anything(chance) })
  switch (chance.below(8)) {
    case 0:
      return void members.splice(at, 1)
    case 1:
      return void members.splice(chance.below(members.length + 1), 0, { ...member, value: anything(chance) })
    case 2:
      return void members.push({ name: chance.pick(NAMES), value: anything(chance) })
    case 3:
      return void members.reverse()
    case 4:
      members[at] = { ...member, value: respelled(chance, member.value) }
      return
    default:
      members[at] = { ...member, value: chance.oneIn(3) ? anything(chance) : alike(chance, member.value) }
  }
}

function objectsIn(tree: JsonNode): JsonObjectNode[] {
  const found: JsonObjectNode[] = []
  const open = [tree]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === 'object') {
      found.push(node)
      open.push(...node.members.map(({ value }) => value))
    } else if (node.kind === 'list') open.push(...node.items)
  }
  return found
}

/** Another value of the same kind. */
function alike(chance: Chance, node: JsonNode): JsonNode {
  switch (node.kind) {
    case 'number':
      return number(chance)
    case 'string':
      return { ...node, value: chance.oneIn(2) ? chance.pick(TEXTS) : edited(chance, node.value) }
    default:
      return anything(chance)
  }
}

function edited(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1)
  const inserted = chance.pick(['', 'x', ' ', '😀', '\u0000', '\ud800', text, '.', '/', '-'])
  return text.slice(0, at) + inserted + text.slice(at + chance.below(3))
}

/** The same value in other digits. */
function respelled(chance: Chance, node: JsonNode): JsonNode {
  if (node.kind !== 'number' || /[eE]/.test(node.written)) return node
  const { written } = node
  const forms = [`${written}e0`, `${written}E+00`, written.includes('.') ? `${written}00` : `${written}.0`]
  if (/^[1-9]\d*$/.test(written)) forms.push(`${written}000e-3`)
  return { ...node, written: chance.pick(forms) }
}

const SPACES = ['', '', '', ' ', '\n', '\t', ' \r\n ']

/** Text with random space and escapes where JSON permits them. */
export function spell(chance: Chance, node: JsonNode): string {
  const gap = () => chance.pick(SPACES)
  switch (node.kind) {
    case 'number':
      return node.written
    case 'word':
      return String(node.value)
    case 'string':
      return spellText(chance, node.value)
    case 'list':
      return `[${gap()}${node.items.map((item) => spell(chance, item) + gap()).join(`,${gap()}`)}]`
    case 'object': {
      const members = node.members.map(
        ({ name, value }) => `${spellText(chance, name)}${gap()}:${gap()}${spell(chance, value)}${gap()}`,
      )
      return `{${gap()}${members.join(`,${gap()}`)}}`
    }
  }
}

function spellText(chance: Chance, text: string): string {
  const plain = JSON.stringify(text)
  if (!chance.oneIn(6) || text === '' || text.includes('\\')) return plain
  const at = chance.below(text.length)
  const code = text.charCodeAt(at).toString(16).padStart(4, '0')
  const around = (part: string) => JSON.stringify(part).slice(1, -1)
  return `"${around(text.slice(0, at))}\\u${code}${around(text.slice(at + 1))}"`
}

const ODD_BYTES = [
  0, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x5b, 0x5c, 0x7b, 0x7d, 0x7f, 0x80, 0xc0, 0xed, 0xff,
]

export function mutateBytes(chance: Chance, bytes: Buffer): Buffer {
  let now = bytes
  for (let i = 1 + chance.below(3); i > 0; i--) now = mutateByte(chance, now)
  return now
}

function mutateByte(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.below(bytes.length + 1)
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (chance.below(6)) {
    case 0:
      return Buffer.concat([head, Buffer.from([chance.pick(ODD_BYTES)]), tail.subarray(1)])
    case 1:
      return Buffer.concat([head, Buffer.from([chance.pick(ODD_BYTES)]), tail])
    case 2:
      return Buffer.concat([head, tail.subarray(1 + chance.below(4))])
    case 3:
      return chance.oneIn(3) ? head : Buffer.concat([bytes, head])
    case 4:
      return Buffer.concat([head, Buffer.from([chance.below(256)]), tail.subarray(1)])
    default:
      return Buffer.concat([head, tail.subarray(0, chance.below(8)), tail])
  }
}

/** Repeats one piece many times, which is slow for a parser that rescans its input. */
export function grow(chance: Chance, bytes: Buffer, most: number): Buffer {
  const at = chance.below(bytes.length + 1)
  const own = bytes.subarray(at, at + 1 + chance.below(12))
  const odd = [
    '[',
    '{"a":',
    '"',
    '\\',
    ' ',
    '1',
    '0',
    '.',
    'e1',
    ',',
    '-',
    '=',
    ':',
    '\\"',
    '9.',
    ' "',
    '\n',
    '"a":1,',
    '[],',
    '\r',
  ]
  const piece = chance.oneIn(3) && own.length > 0 ? own : Buffer.from(chance.pick(odd))
  const wanted = most / 2 + chance.below(most / 2)
  const times = Math.max(1, Math.trunc((wanted - bytes.length) / piece.length))
  return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(piece.length * times, piece), bytes.subarray(at)])
}

/** Some bodies begin with a byte order mark (D-2). */
export function perhapsMarked(chance: Chance, body: Buffer): Buffer {
  return chance.oneIn(20) ? Buffer.concat([Buffer.from('\ufeff'), body]) : body
}
