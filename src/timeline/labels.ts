/** The words beside the marks of a lane: of one moment, or of several that stand too close together for words of their own. And how wide words are. */
import { sumOf } from '../protocol/decimal.ts'
import { signed } from './amounts.ts'
import { type Call, type Decision, type Moment, titleOf } from './moments.ts'
import { sayKind, took } from './say.ts'
import type { Transfer } from './sources.ts'

/** Where the marks of each stand: pixels from the top. */
export const LANES = { platform: 64, wire: 158, wallet: 268 } as const
export type Lane = keyof typeof LANES
/** Where its words begin, from where a moment does: a diamond reaches to its left. */
export const INDENT: Readonly<Record<Lane, number>> = { platform: -8, wire: 0, wallet: 0 }

export interface Words {
  readonly style: string
  readonly text: string
}

/** It begins where the first mark begins. */
export interface Line {
  readonly y: number
  readonly words: readonly Words[]
}

/** Lines below an arrow, and pixels from the mark to the first and between two. */
const ROWS = 3
const BELOW = 31
export const ROW = 15
/** Characters. */
const MAX_TITLE = 22

/** `group` is in order, and has at least one. What was decided and answered last is what holds; the others are counted. */
export function linesOf(lane: Lane, group: readonly Moment[]): Line[] {
  const last = group.at(-1)
  const before = group.length > 1 ? ` · ${group.length - 1} before` : ''
  if (last?.kind === 'decision') return decisionLines(last, before)
  if (last === undefined) return []
  return lane === 'wire' ? wireLines(last, before) : walletLines(group.filter(isCall))
}

/** The lanes that a moment has a mark in. */
export function lanesOf(one: Moment): readonly Lane[] {
  if (one.kind === 'decision') return ['platform']
  return isSeenInWallet(one) ? ['wire', 'wallet'] : ['wire']
}

function isCall(one: Moment): one is Call {
  return one.kind === 'call'
}

function isSeenInWallet(call: Call): boolean {
  return (
    call.wallet !== undefined ||
    call.journal !== undefined ||
    call.movedNothing !== undefined ||
    movedBy(call).length > 0
  )
}

/** What moved for the player. */
export function movedBy({ transfers }: Call): Transfer[] {
  return transfers.filter(({ amount }) => !/^-?[0.]+$/.test(amount))
}

export function sideOf(amount: string): string {
  return amount.startsWith('-') ? 'tl-out' : 'tl-in'
}

function line(y: number, ...words: readonly (readonly [style: string, text: string])[]): Line {
  return { y, words: words.map(([style, text]) => ({ style, text })) }
}

function decisionLines({ title, detail }: Decision, before: string): Line[] {
  const y = LANES.platform
  return [line(y - 28, ['tl-title', `${title}${before}`]), line(y - 14, ['tl-detail', detail])]
}

function wireLines(one: Call, before: string): Line[] {
  const again = one.isCopy ? ' · a copy' : one.attempt > 1 ? ` · ${ordinal(one.attempt)} try` : ''
  const end = isToCome(one) ? '' : took(one.answer, one.durationMs, ' · ')
  return [
    line(LANES.wire - 18, ['tl-title', `${shortened(one.title) ?? titleOf(one.operation)}${again}${before}`]),
    line(LANES.wire + 27, ['tl-detail tl-answer', `${one.answer}${end}`]),
  ]
}

export function isToCome({ ending }: Call): boolean {
  return ending === 'pending' || ending === 'stuck'
}

/** As much as there is room for. */
function shortened(title: string | undefined): string | undefined {
  return title !== undefined && title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title
}

function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13
  return `${n}${(isTeen ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[n % 10]) ?? 'th'}`
}

/** Each amount; of more than there is room for what they come to, and how many they are. */
function walletLines(group: readonly Call[]): Line[] {
  const moved = group.flatMap(movedBy)
  const y = LANES.wallet + BELOW
  if (moved.length === 0) {
    const why = group.every(({ ending }) => ending === 'repeated') ? 'nothing again' : 'nothing moves'
    return [line(y, ['tl-detail', why])]
  }
  const amountLine = (amount: string, what: string, row: number) =>
    line(y + row * ROW, [`tl-amount ${sideOf(amount)}`, signed(amount)], ['tl-detail', ` ${what}`])
  if (moved.length > ROWS)
    return [amountLine(sumOf(moved.map(({ amount }) => amount)), `in ${moved.length} transfers`, 0)]
  return moved.map(({ amount, kind }, row) => amountLine(amount, sayKind(kind), row))
}

/** Parts of the font's size: of DejaVu Sans, since few are wider. The first that fits counts. */
const WIDTHS: readonly (readonly [chars: RegExp, width: number])[] = [
  [/[ijlI .,:;'|·]/, 0.36],
  [/[rtf!()[\]-]/, 0.46],
  [/[scz?]/, 0.56],
  [/[mMW@%]/, 1.02],
  [/[A-Zw+−→]/, 0.86],
  [/[ -~]/, 0.66],
]
const WIDEST = 1.02
/** timeline.css: the size of each style, where it is bold a tenth more for that. */
const SIZES: Readonly<Record<string, number>> = {
  'tl-amount': 14.3,
  'tl-title': 13.2,
  'tl-value': 13.2,
  'tl-detail': 12,
  'tl-tick-label': 11,
}

/** Whole pixels, rather too many: nobody knows the font that it will be shown in. */
export function widthOf(style: string, text: string): number {
  const size = style.includes('tl-answer') ? 13.2 : (SIZES[style.split(' ')[0] ?? ''] ?? 14.3)
  const ofChar = (char: string) => WIDTHS.find(([chars]) => chars.test(char))?.[1] ?? WIDEST
  return Math.ceil([...text].reduce((sum, char) => sum + ofChar(char), 0) * size)
}

/** Of the widest of some lines. */
export function reachOf(lines: readonly Line[]): number {
  const widthOfLine = ({ words }: Line) => words.reduce((sum, { style, text }) => sum + widthOf(style, text), 0)
  return Math.max(0, ...lines.map(widthOfLine))
}
