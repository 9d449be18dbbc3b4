/** A bet's story as one file that opens anywhere: no script, nothing loaded, all that strangers wrote is text. */
import { escaped } from '../runtime/markup.ts'
import { amountText, signed } from './amounts.ts'
import { drawTimeline } from './draw.ts'
import { type History, titleOf } from './moments.ts'
import { sayAttempt, sayEnding, sayKind } from './say.ts'
import type { Standing } from './sentence.ts'
import { spanOf } from './spans.ts'
import { el, toMarkup } from './svg.ts'

export interface Story {
  readonly history: History
  readonly standing: Standing
  /** Of the picture: timeline.css. */
  readonly css: string
  readonly madeAt: Date
  /** replay.ts: what the simulator reads of this file. Empty, or none, where the wallet has answered no call. */
  readonly replay?: string | undefined
}

const COLOURS = `:root{color-scheme:light dark;--ink:#18212b;--muted:#56616f;--line:#dde2e6;--surface:#fff;--accent:#0b6b66;--good:#14703f;--bad:#b3261e;--wait:#875200}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf0;--muted:#9eabb8;--line:#2a343f;--surface:#171e26;--accent:#52c7bc;--good:#62d192;--bad:#ff8a80;--wait:#f0b75c}}`
const PAGE_CSS = `${COLOURS}
body{margin:0 auto;padding:32px 24px;max-width:1200px;background:var(--surface);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:1.4rem;margin:0 0 4px}p{margin:0 0 20px}.muted{color:var(--muted)}.tl-scroll{border:1px solid var(--line);border-radius:10px;padding:20px;margin:0 0 24px}
table{border-collapse:collapse;width:100%;font-size:.9rem}th{text-align:left;color:var(--muted);font-weight:600}th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}.num{text-align:right}code{font-size:.9em}`

export function storyFile({ history, standing, css, madeAt, replay = '' }: Story): string {
  const picture = toMarkup(drawTimeline(history, { scale: 'compact', isStill: true }))
  const rows = history.moments.map(rowOf).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bet ${escaped(history.betId)}</title>
<style>${PAGE_CSS}
${css.replaceAll('</', '')}</style>
</head>
<body>
<h1>${escaped(standing.state)} · bet <code>${escaped(history.betId)}</code></h1>
<p>${escaped(standing.sentence)}</p>
<div class="tl-scroll" tabindex="0" role="group" aria-label="The picture">${picture}</div>
<table>
<thead><tr><th>UTC</th><th>What</th><th>How it went</th><th class="num">Moved</th><th class="num">Balance</th></tr></thead>
<tbody>${rows}</tbody>
</table>
${replay === '' ? '' : `<details><summary>As a history for <code>npm run simulate -- --history FILE</code></summary><pre id="replay">${escaped(replay)}</pre></details>`}
<p class="muted">Player ${escaped(history.player)}. Saved from Purser's console on ${madeAt.toISOString()}.</p>
</body>
</html>
`
}

/** Pixels around a picture that stands alone. */
const MARGIN = 16

/** The picture alone, for a page that shows images: it brings its colours, light and dark, and the ground that they are for. */
export function pictureFile(history: History, css: string, label: string): string {
  const { tag, attrs, children } = drawTimeline(history, { scale: 'compact', isStill: true, label })
  const [, top = 0, width = 0, height = 0] = String(attrs.viewBox)
    .split(' ')
    .map((text) => Number.parseInt(text, 10))
  const box = { x: -MARGIN, y: top - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN }
  const ground = el('rect', { ...box, rx: 10, fill: 'var(--surface)' })
  const size = { viewBox: Object.values(box).join(' '), width: box.width, height: box.height }
  return `${toMarkup(el(tag, { ...attrs, ...size }, el('style', {}, `${COLOURS}\n${css}`), ground, ...children))}\n`
}

function rowOf(moment: History['moments'][number]): string {
  const at = new Date(moment.at).toISOString().replace('T', ' ').slice(0, 23)
  if (moment.kind === 'decision') return row([at, `Platform: ${moment.title}`, moment.says ?? moment.detail, '', ''])
  const moved = moment.transfers.map(({ kind, amount, currency }) => `${sayKind(kind)} ${signed(amount)} ${currency}`)
  const ending = moment.ending === 'pending' || moment.ending === 'stuck' ? moment.answer : sayEnding(moment)
  const took = moment.durationMs > 0 && !ending.includes(spanOf(moment.durationMs)) ? spanOf(moment.durationMs) : ''
  return row([
    at,
    `${titleOf(moment.operation)}, ${sayAttempt(moment)}`,
    `${ending} ${took}`.trim(),
    moved.join('; '),
    amountText(moment.transfers.at(-1)?.balance ?? ''),
  ])
}

function row([at = '', what = '', how = '', moved = '', balance = '']: readonly string[]): string {
  const text = [at, what, how].map((cell) => `<td>${escaped(cell)}</td>`).join('')
  return `<tr>${text}<td class="num">${escaped(moved)}</td><td class="num">${escaped(balance)}</td></tr>`
}
