/**
 * Measures the positions of texts and marks in a picture with DejaVu Sans, which is as wide as
 * screen fonts get.
 */
import type { SvgElement, SvgPart } from '@purser/timeline/drawing/svg'

export interface Box {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Hundredths of the font size as in Chromium, with the characters of at most this width. */
type Widths = Readonly<Record<number, string>>
const PLAIN: Widths = {
  28: "'ijl",
  34: 'IJ ,.·/:;\\|',
  40: 'f-()[]t',
  46: '!r"',
  50: '*_`',
  58: '?szLcFk',
  64: 'vxyPTYaeo│$0123456789ESbdghnpqu{}',
  70: 'KABCRVXZ',
  78: 'UHN&DG',
  84: 'OQw#+<=>^~−→',
  98: 'M%m',
}
const BOLD: Widths = {
  36: "' ijl",
  40: ',./IJ\\|·:;',
  46: '-f!()[]',
  50: 't_`r',
  60: '"*?csz',
  66: '│Lvxy',
  70: 'aek$0123456789EFTo',
  74: 'bdghnpqu{}CPSYZ',
  78: 'ABKRVX',
  86: 'U#+<=>DGHN^~−→OQ',
  94: '&w',
  106: '@M…%m',
}
/** The width of any other character. */
const OTHER = 112

const SIZES: Readonly<Record<string, number>> = {
  'tl-amount': 13,
  'tl-lane-name': 13,
  'tl-lane-what': 11,
  'tl-lane-limit': 11,
  'tl-tick-label': 11,
}
const SIZE = 12
/** As in timeline.css. Rejected and unanswered calls are bold too. */
const IS_BOLD = /tl-(title|amount|value|lane-name|answer)\b/

function lengthOf(text: string, style: string): number {
  const widths = Object.entries(IS_BOLD.test(style) ? BOLD : PLAIN)
  const of = (char: string) => Number(widths.find(([, chars]) => chars.includes(char))?.[0] ?? OTHER)
  const size = SIZES[style.split(' ')[0] ?? ''] ?? SIZE
  return ([...text].reduce((sum, char) => sum + of(char), 0) * size) / 100
}

const textOf = (part: SvgPart): string => (typeof part === 'string' ? part : part.children.map(textOf).join(''))

/** Parts of a text can have their own style. */
function widthOf(part: SvgPart, style: string): number {
  if (typeof part === 'string') return lengthOf(part, style)
  const own = String(part.attrs.class ?? style)
  return part.children.reduce((sum, one) => sum + widthOf(one, own), 0)
}

export function partsOf(picture: SvgElement, tag: string): SvgElement[] {
  const inside = picture.children.flatMap((one) => (typeof one === 'string' ? [] : partsOf(one, tag)))
  return picture.tag === tag ? [picture, ...inside] : inside
}

export function textBoxesOf(picture: SvgElement): Box[] {
  return partsOf(picture, 'text').map((text) => {
    const { x, y, 'text-anchor': anchor } = text.attrs
    const width = widthOf(text, '')
    const left = Number(x) - (anchor === 'end' ? width : 0)
    return { text: textOf(text), left, right: left + width, top: Number(y) - 10, bottom: Number(y) + 3 }
  })
}

/** Diamonds, bars, arrows, rings, and the dots of the balance. */
export function markBoxesOf(picture: SvgElement): Box[] {
  const bars = partsOf(picture, 'rect').filter(({ attrs }) => attrs.class === 'tl-bar')
  const paths = partsOf(picture, 'path').filter(({ attrs }) => /^tl-(diamond|arrow|cross)/.test(String(attrs.class)))
  return [
    ...bars.map(({ attrs }) =>
      boxOf('bar', [attrs.x, Number(attrs.x) + Number(attrs.width)], [attrs.y, Number(attrs.y) + Number(attrs.height)]),
    ),
    ...partsOf(picture, 'circle').map(({ attrs: { class: name, cx, cy, r } }) =>
      boxOf(
        String(name),
        [Number(cx) - Number(r), Number(cx) + Number(r)],
        [Number(cy) - Number(r), Number(cy) + Number(r)],
      ),
    ),
    ...paths.map(({ attrs }) => {
      const points = [...String(attrs.d).matchAll(/[ML](\S+) (\S+)/g)]
      return boxOf(
        String(attrs.class),
        points.map(([, x]) => x),
        points.map(([, , y]) => y),
      )
    }),
  ]
}

function boxOf(text: string, xs: readonly unknown[], ys: readonly unknown[]): Box {
  const [across, down] = [xs.map(Number), ys.map(Number)]
  return {
    text,
    left: Math.min(...across),
    right: Math.max(...across),
    top: Math.min(...down),
    bottom: Math.max(...down),
  }
}
