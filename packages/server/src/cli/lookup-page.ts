/**
 * Formats an API answer for a terminal of 80 columns: names with values, and a line for each list
 * item.
 */
import { isObject } from '@purser/protocol/values/exact-json'
import { printable } from '@purser/runtime/text/printable-text'

const COLUMNS = 80
const INDENT = '  '

type PageMembers = Readonly<Record<string, unknown>>

/** `kind` is the title of the page. */
export function formatLookupPage({ kind, ...parts }: PageMembers & { readonly kind: string }): string {
  const [first, ...others] = Object.entries(parts).map(([name, value]) => formatBlock(name, value))
  return [formatTitle(kind, parts), first, ...others].filter((text) => text !== undefined && text !== '').join('\n')
}

function formatTitle(kind: string, { adjustment }: PageMembers): string {
  if (kind === 'adjustment' && isObject(adjustment))
    return fold('adjustment: ', printable(describeAdjustmentStatus(adjustment)))
  return kind === 'several' ? 'several records match:' : kind
}

/** Status of an adjustment that was requested and not made. */
function describeAdjustmentStatus({ status, expiresAt, decidedBy }: PageMembers): string {
  if (status === 'pending') return `pending approval by a second person until ${expiresAt}`
  if (status === 'expired') return 'expired without an approval in time'
  const by = isObject(decidedBy) ? ` by ${decidedBy.person}` : ''
  return `${status}${by}`
}

function formatBlock(name: string, value: unknown): string {
  if (Array.isArray(value)) return formatList(name, value)
  if (!isObject(value)) return formatMembers({ [name]: value })
  const lists = Object.entries(value).filter(([, member]) => Array.isArray(member) && member.some(isObject))
  const plain = Object.entries(value).filter(([member]) => !lists.some(([list]) => list === member))
  return [
    formatMembers(Object.fromEntries(plain)),
    ...lists.map(([list, items]) => formatList(list, items as unknown[], value)),
  ].join('\n')
}

function formatMembers(members: PageMembers): string {
  const texts = Object.entries(members).map(([name, value]) => [name, formatValue(value)] as const)
  const width = Math.max(...texts.map(([name]) => name.length), 0)
  return texts.map(([name, text]) => fold(`${INDENT}${name.padEnd(width)}  `, text)).join('\n')
}

/** Titles of lists whose names do not explain them. */
const TITLES = new Map([
  ['adjusted', 'adjusted by hand, in total'],
  ['adjustments', 'adjusted by hand'],
  ['pendingAdjustments', 'adjustments pending approval by a second person: no money has moved'],
])

function formatList(name: string, items: readonly unknown[], above: PageMembers = {}): string {
  const lines = items.flatMap((item) =>
    isObject(item) ? formatItem(item, above, INDENT) : [fold(INDENT, formatValue(item))],
  )
  return [`${TITLES.get(name) ?? name}${items.length === 0 ? ': none' : ''}`, ...lines].join('\n')
}

/**
 * An item on one line, its time first. The items of its own lists follow, without repeated ids and
 * times.
 */
function formatItem({ at, ...item }: PageMembers, above: PageMembers, indent: string): string[] {
  const { requestId, ...others } = item
  const members = Object.entries({
    ...(at !== undefined && { at }),
    ...others,
    ...(requestId !== undefined && { requestId }),
  })
  const known: PageMembers = { ...above, transactionTime: at }
  const lists = members.flatMap(([, value]) => (Array.isArray(value) ? value.filter(isObject) : []))
  const plain = members.filter(
    ([name, value]) => !Array.isArray(value) && !(INHERITED_MEMBERS.has(name) && value === known[name]),
  )
  const text = plain
    .map(([name, value]) => (MEMBERS_WITHOUT_LABEL.has(name) ? formatValue(value) : `${name} ${formatValue(value)}`))
    .join('  ')
  const shown = { ...known, ...item, at }
  return [fold(indent, text), ...lists.flatMap((below) => formatItem(below, shown, indent + INDENT))]
}

const INHERITED_MEMBERS = new Set([
  'userId',
  'betId',
  'partnerId',
  'transactionId',
  'requestId',
  'currency',
  'at',
  'transactionTime',
])

/** Members whose values explain themselves. */
const MEMBERS_WITHOUT_LABEL = new Set([
  'at',
  'operation',
  'outcome',
  'kind',
  'currency',
  'amount',
  'status',
  'transferId',
  'id',
  'transactionId',
])

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(value.some(isObject) ? '; ' : ', ')
  if (!isObject(value)) return printable(String(value))
  const shown = Object.entries(value).filter(([, member]) => member !== null)
  return shown.map(([name, member]) => `${name} ${formatValue(member)}`).join('  ')
}

/** Wraps `text` after `begin`, with later lines indented. A word that is too long is cut. */
function fold(begin: string, text: string): string {
  const room = COLUMNS - begin.length
  const lines: string[] = []
  let rest = text
  while (rest.length > room) {
    const blank = rest.lastIndexOf(' ', room)
    const end = blank > 0 ? blank : room
    lines.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest].join(`\n${' '.repeat(begin.length)}`).replace(/^/, begin)
}
