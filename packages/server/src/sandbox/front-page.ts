/**
 * Front page at /sandbox: servers, keys and the last bets. It needs no script: the list of bets is
 * an iframe that reloads each second. Only a browser on the sandbox's machine gets the keys.
 */

import { escapeMarkup as text } from '@purser/runtime/text/markup-escaping'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PERMISSIONS_POLICY } from '../core/http/console-files.ts'
import { toShortBetId } from './bettors/bet-steps.ts'
import { FRONT_PAGE_STYLE } from './front-page-style.ts'

export interface FrontPage {
  readonly database: string
  readonly servers: readonly { readonly name: string; readonly url: string }[]
  readonly keys: readonly { readonly name: string; readonly value: string }[]
  /** The signed bet of the welcome text, as lines for a shell. */
  readonly bet: readonly string[]
  /** In the order of the list. */
  lastBets(): Promise<readonly FrontPageBet[]>
}

export interface FrontPageBet {
  readonly at: string
  readonly betId: string
  readonly player: string
  /** Amount and currency; empty if no stake was taken. */
  readonly stake: string
  readonly status: string
  readonly isByHand: boolean
}

const POLICY =
  "default-src 'none'; style-src 'self'; frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

/**
 * Adds GET /sandbox and its resources; the wallet's root redirects to the console. `page` returns
 * undefined until all servers run.
 */
export function addFrontPage(app: FastifyInstance, page: () => FrontPage | undefined): void {
  app.get('/', (_request, reply) => reply.redirect('/console'))
  app.get('/sandbox', (request, reply) => {
    const known = page()
    return known === undefined
      ? sendHtml(reply.code(503), WAITING)
      : sendHtml(reply, renderPage(known, isLocalRequest(request)))
  })
  app.get('/sandbox/bets', async (_request, reply) => sendHtml(reply, renderBets((await page()?.lastBets()) ?? [])))
  app.get('/sandbox/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(FRONT_PAGE_STYLE))
}

/**
 * True if both addresses and the requested host name are on this machine. Without the check of the
 * name, DNS rebinding could show the keys to a remote page.
 */
export function isLocalRequest({ ip, headers, socket }: FastifyRequest): boolean {
  const isLocal = (address: string | undefined) => /^(::ffff:)?127\.|^::1$/.test(address ?? '')
  return isLocal(ip) && isLocal(socket.localAddress) && LOCAL_HOST.test(headers.host ?? '')
}

function sendHtml(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('permissions-policy', PERMISSIONS_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html)
}

function renderDocument(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/sandbox/style.css">
${head}
</head>
<body>
${body}
</body>
</html>
`
}

const WAITING = renderDocument(
  'Purser sandbox',
  '<meta http-equiv="refresh" content="1">',
  '<p>The sandbox is starting.</p>',
)

const KEYS_HIDDEN =
  'The keys are in the terminal. This page shows them only on the same machine, at 127.0.0.1 or localhost.'

function renderPage({ database, servers, keys, bet }: FrontPage, showsKeys: boolean): string {
  const secrets = showsKeys ? renderKeys(keys) + renderSignedBet(bet) : `<p class="note">${KEYS_HIDDEN}</p>`
  return renderDocument(
    'Purser sandbox',
    '',
    `<header>
<h1>Purser sandbox</h1>
<p>A wallet, a betting platform and simulated bettors run here. Database: ${text(database)}. <a href="/console">Open the console.</a></p>
</header>
<main>
<section>
<h2>Servers</h2>
<table>${servers.map(renderServerRow).join('')}</table>
</section>
${secrets}
<section>
<h2>The last bets in the wallet</h2>
<p class="note">The newest bet is first. Your own bets are marked and stay on top.</p>
<iframe src="/sandbox/bets" title="The last bets in the wallet"></iframe>
</section>
</main>`,
  )
}

function renderServerRow({ name, url }: FrontPage['servers'][number]): string {
  const at = text(url)
  const links = `<a href="${at}/docs">API reference</a> · <a href="${at}/metrics">metrics</a>`
  return `<tr><th scope="row">${text(name)}</th><td><code>${at}</code></td><td>${links}</td></tr>`
}

function renderKeys(keys: FrontPage['keys']): string {
  const rows = keys.map(
    ({ name, value }) => `<tr><th scope="row">${text(name)}</th><td><code class="copy">${text(value)}</code></td></tr>`,
  )
  return `<section>
<h2>Keys</h2>
<p class="note">A click selects the whole key.</p>
<table>${rows.join('')}</table>
</section>
`
}

function renderSignedBet(lines: FrontPage['bet']): string {
  return `<section>
<h2>Place a bet of 10 for alice</h2>
<p class="note">Paste it into a terminal. If you paste it again, you get the same response and no second debit.</p>
<pre class="copy">${text(lines.join('\n'))}</pre>
</section>
`
}

/** In an iframe, so that a reload does not clear a selection on the page. */
function renderBets(bets: readonly FrontPageBet[]): string {
  const rows = bets.map(
    ({ at, betId, player, stake, status, isByHand }) =>
      `<tr${isByHand ? ' class="hand"' : ''}><td>${text(at.slice(11, 19))}</td><td><code>${text(toShortBetId(betId))}</code></td>` +
      `<td>${text(player)}</td><td class="money">${text(stake)}</td><td>${text(status)}</td><td>${isByHand ? '◀ yours' : ''}</td></tr>`,
  )
  const head = '<tr><th>UTC</th><th>Bet</th><th>Player</th><th class="money">Stake</th><th>Status</th><th></th></tr>'
  const table =
    rows.length === 0 ? '<p class="note">No bet yet.</p>' : `<table class="bets">${head}${rows.join('')}</table>`
  return renderDocument('The last bets', '<meta http-equiv="refresh" content="1">', table)
}
