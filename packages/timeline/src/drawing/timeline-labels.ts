/**
 * The texts of the marks in a timeline, and their estimated width. Moments that are too close
 * together share one text.
 */
import { sumDecimals } from '@purser/protocol/values/decimal'
import { formatSigned } from '../amount-text.ts'
import type { TransferView } from '../bet-sources.ts'
import { formatCallDuration, formatTransferKind } from '../moment-text.ts'
import { operationTitle, type PlatformDecision, type TimelineCall, type TimelineMoment } from './timeline-moments.ts'

/** Pixels from the top. */
export const LANE_Y = { platform: 64, wire: 158, wallet: 268 } as const
export type TimelineLane = keyof typeof LANE_Y
/** Pixels from a moment's start to its text. A diamond extends to the left. */
export const INDENT: Readonly<Record<TimelineLane, number>> = { platform: -8, wire: 0, wallet: 0 }

export interface StyledText {
  readonly style: string
  readonly text: string
}

/** The line begins at the first mark of its group. */
export interface LabelLine {
  readonly y: number
  readonly words: readonly StyledText[]
}

/** The most lines below an arrow, then pixels: to the first line, and between lines. */
const ROWS = 3
const BELOW = 31
export const ROW_HEIGHT = 15
/** Characters. */
const MAX_TITLE = 22

/**
 * `group` is in order and not empty. Its last moment is shown, and the earlier ones are counted.
 */
export function buildLabelLines(lane: TimelineLane, group: readonly TimelineMoment[]): LabelLine[] {
  const last = group.at(-1)
  const before = group.length > 1 ? ` · ${group.length - 1} before` : ''
  if (last?.kind === 'decision') return decisionLines(last, before)
  if (last === undefined) return []
  return lane === 'wire' ? wireLines(last, before) : walletLines(group.filter(isCall))
}

export function listMomentLanes(one: TimelineMoment): readonly TimelineLane[] {
  if (one.kind === 'decision') return ['platform']
  return hasReachedWallet(one) ? ['wire', 'wallet'] : ['wire']
}

function isCall(one: TimelineMoment): one is TimelineCall {
  return one.kind === 'call'
}

function hasReachedWallet(call: TimelineCall): boolean {
  return (
    call.wallet !== undefined ||
    call.journal !== undefined ||
    call.movedNothing !== undefined ||
    listMovedTransfers(call).length > 0
  )
}

export function listMovedTransfers({ transfers }: TimelineCall): TransferView[] {
  return transfers.filter(({ amount }) => !/^-?[0.]+$/.test(amount))
}

export function directionClass(amount: string): string {
  return amount.startsWith('-') ? 'tl-out' : 'tl-in'
}

function line(y: number, ...words: readonly (readonly [style: string, text: string])[]): LabelLine {
  return { y, words: words.map(([style, text]) => ({ style, text })) }
}

function decisionLines({ title, detail }: PlatformDecision, before: string): LabelLine[] {
  const y = LANE_Y.platform
  return [line(y - 28, ['tl-title', `${title}${before}`]), line(y - 14, ['tl-detail', detail])]
}

function wireLines(one: TimelineCall, before: string): LabelLine[] {
  const again = one.isCopy ? ' · a copy' : one.attempt > 1 ? ` · ${ordinal(one.attempt)} attempt` : ''
  const end = isUpcoming(one) ? '' : formatCallDuration(one.answer, one.durationMs, ' · ')
  return [
    line(LANE_Y.wire - 18, [
      'tl-title',
      `${shortenTitle(one.title) ?? operationTitle(one.operation)}${again}${before}`,
    ]),
    line(LANE_Y.wire + 27, ['tl-detail tl-answer', `${one.answer}${end}`]),
  ]
}

export function isUpcoming({ ending }: TimelineCall): boolean {
  return ending === 'pending' || ending === 'stuck'
}

function shortenTitle(title: string | undefined): string | undefined {
  return title !== undefined && title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title
}

function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13
  return `${n}${(isTeen ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[n % 10]) ?? 'th'}`
}

/** Amounts beyond the maximum number of lines are shown as their sum and number. */
function walletLines(group: readonly TimelineCall[]): LabelLine[] {
  const moved = group.flatMap(listMovedTransfers)
  const y = LANE_Y.wallet + BELOW
  if (moved.length === 0) {
    return [line(y, ['tl-detail', 'no change'])]
  }
  const amountLine = (amount: string, label: string, row: number) =>
    line(
      y + row * ROW_HEIGHT,
      [`tl-amount ${directionClass(amount)}`, formatSigned(amount)],
      ['tl-detail', ` ${label}`],
    )
  if (moved.length > ROWS)
    return [amountLine(sumDecimals(moved.map(({ amount }) => amount)), `in ${moved.length} transfers`, 0)]
  return moved.map(({ amount, kind }, row) => amountLine(amount, formatTransferKind(kind), row))
}

/**
 * Widths in DejaVu Sans relative to the font size, because few fonts are wider. The first match
 * counts.
 */
const WIDTHS: readonly (readonly [chars: RegExp, width: number])[] = [
  [/[ijlI .,:;'|·]/, 0.36],
  [/[rtf!()[\]-]/, 0.46],
  [/[scz?]/, 0.56],
  [/[mMW@%]/, 1.02],
  [/[A-Zw+−→]/, 0.86],
  [/[ -~]/, 0.66],
]
const WIDEST = 1.02
/** The font sizes of timeline.css, 10 % larger for bold text. */
const SIZES: Readonly<Record<string, number>> = {
  'tl-amount': 14.3,
  'tl-title': 13.2,
  'tl-value': 13.2,
  'tl-detail': 12,
  'tl-tick-label': 11,
}

/** Pixels. The estimate is generous, because the reader's font is unknown. */
export function measureText(style: string, text: string): number {
  const size = style.includes('tl-answer') ? 13.2 : (SIZES[style.split(' ')[0] ?? ''] ?? 14.3)
  const ofChar = (char: string) => WIDTHS.find(([chars]) => chars.test(char))?.[1] ?? WIDEST
  return Math.ceil([...text].reduce((sum, char) => sum + ofChar(char), 0) * size)
}

/** Pixels of the widest line. */
export function measureLines(lines: readonly LabelLine[]): number {
  const widthOfLine = ({ words }: LabelLine) =>
    words.reduce((sum, { style, text }) => sum + measureText(style, text), 0)
  return Math.max(0, ...lines.map(widthOfLine))
}
