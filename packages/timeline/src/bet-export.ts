/**
 * HTML export of a bet's history, as one file that any browser opens offline.
 *
 * The file has no script, loads nothing, and escapes every text from outside.
 */
import { escapeMarkup } from '@purser/runtime/text/markup-escaping'
import { amountText, formatSigned } from './amount-text.ts'
import type { BetStanding } from './bet-standing.ts'
import { el, toMarkup } from './drawing/svg.ts'
import { formatDuration } from './drawing/time-format.ts'
import { drawTimeline } from './drawing/timeline-drawing.ts'
import { type BetHistory, operationTitle } from './drawing/timeline-moments.ts'
import { describeAttempt, describeEnding, formatTransferKind } from './moment-text.ts'

export interface BetExport {
  readonly history: BetHistory
  readonly standing: BetStanding
  readonly css: string
  readonly madeAt: Date
  /** The history for simulator-replay.ts. Empty or absent if the wallet has answered no call. */
  readonly replay?: string | undefined
}

const COLOURS = `:root{color-scheme:light dark;--ink:#18212b;--muted:#56616f;--line:#dde2e6;--surface:#fff;--accent:#0b6b66;--good:#14703f;--bad:#b3261e;--wait:#875200}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf0;--muted:#9eabb8;--line:#2a343f;--surface:#171e26;--accent:#52c7bc;--good:#62d192;--bad:#ff8a80;--wait:#f0b75c}}`
const PAGE_CSS = `${COLOURS}
body{margin:0 auto;padding:32px 24px;max-width:1200px;background:var(--surface);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:1.4rem;margin:0 0 4px}p{margin:0 0 20px}.muted{color:var(--muted)}.tl-scroll{border:1px solid var(--line);border-radius:10px;padding:20px;margin:0 0 24px}
table{border-collapse:collapse;width:100%;font-size:.9rem}th{text-align:left;color:var(--muted);font-weight:600}th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}.num{text-align:right}code{font-size:.9em}`

export function renderBetExport({ history, standing, css, madeAt, replay = '' }: BetExport): string {
  const picture = toMarkup(drawTimeline(history, { scale: 'compact', isStill: true }))
  const rows = history.moments.map(renderMomentRow).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bet ${escapeMarkup(history.betId)}</title>
<style>${PAGE_CSS}
${css.replaceAll('</', '')}</style>
</head>
<body>
<h1>${escapeMarkup(standing.state)} · bet <code>${escapeMarkup(history.betId)}</code></h1>
<p>${escapeMarkup(standing.sentence)}</p>
<div class="tl-scroll" tabindex="0" role="group" aria-label="Timeline">${picture}</div>
<table>
<thead><tr><th>UTC</th><th>Event</th><th>Outcome</th><th class="num">Amount</th><th class="num">Balance</th></tr></thead>
<tbody>${rows}</tbody>
</table>
${replay === '' ? '' : `<details><summary>History for <code>npm run simulate -- --history FILE</code></summary><pre id="replay">${escapeMarkup(replay)}</pre></details>`}
<p class="muted">Player ${escapeMarkup(history.player)}. Exported from the Purser console on ${madeAt.toISOString()}.</p>
</body>
</html>
`
}

/** Pixels. */
const MARGIN = 16

/** The timeline as an SVG image file, with its own background and the colours of both themes. */
export function renderPictureFile(history: BetHistory, css: string, label: string): string {
  const { tag, attrs, children } = drawTimeline(history, { scale: 'compact', isStill: true, label })
  const [, top = 0, width = 0, height = 0] = String(attrs.viewBox)
    .split(' ')
    .map((text) => Number.parseInt(text, 10))
  const box = { x: -MARGIN, y: top - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN }
  const ground = el('rect', { ...box, rx: 10, fill: 'var(--surface)' })
  const size = { viewBox: Object.values(box).join(' '), width: box.width, height: box.height }
  return `${toMarkup(el(tag, { ...attrs, ...size }, el('style', {}, `${COLOURS}\n${css}`), ground, ...children))}\n`
}

function renderMomentRow(moment: BetHistory['moments'][number]): string {
  const at = new Date(moment.at).toISOString().replace('T', ' ').slice(0, 23)
  if (moment.kind === 'decision')
    return renderRow([at, `Platform: ${moment.title}`, moment.longDetail ?? moment.detail, '', ''])
  const moved = moment.transfers.map(
    ({ kind, amount, currency }) => `${formatTransferKind(kind)} ${formatSigned(amount)} ${currency}`,
  )
  const ending = moment.ending === 'pending' || moment.ending === 'stuck' ? moment.answer : describeEnding(moment)
  const took =
    moment.durationMs > 0 && !ending.includes(formatDuration(moment.durationMs))
      ? formatDuration(moment.durationMs)
      : ''
  return renderRow([
    at,
    `${operationTitle(moment.operation)}, ${describeAttempt(moment)}`,
    `${ending} ${took}`.trim(),
    moved.join('; '),
    amountText(moment.transfers.at(-1)?.balance ?? ''),
  ])
}

function renderRow([at = '', event = '', outcome = '', moved = '', balance = '']: readonly string[]): string {
  const text = [at, event, outcome].map((cell) => `<td>${escapeMarkup(cell)}</td>`).join('')
  return `<tr>${text}<td class="num">${escapeMarkup(moved)}</td><td class="num">${escapeMarkup(balance)}</td></tr>`
}
