/**
 * A self-contained HTML page. Its content security policy allows no request, and no script except
 * its own.
 */
import { createHash } from 'node:crypto'
import { escapeMarkup } from './markup-escaping.ts'

export interface HtmlPage {
  /** Plain text. */
  readonly title: string
  readonly style: string
  readonly script?: string
  /** Markup with escaped texts. */
  readonly body: readonly string[]
}

export function renderHtmlPage({ title, style, script, body }: HtmlPage): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<meta http-equiv="content-security-policy" content="${buildContentSecurityPolicy(style, script)}">`,
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    ...body,
    ...(script === undefined ? [] : [`<script>${script}</script>`]),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function buildContentSecurityPolicy(style: string, script: string | undefined): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const scripts = script === undefined ? '' : `; script-src ${hash(script)}`
  return `default-src 'none'; style-src ${hash(style)}${scripts}`
}

/** Light and dark colours, and a header whose edge shows the verdict. */
export const PAGE_STYLE = `
:root {
  --page: #fbfaf8; --ink: #1d1f23; --soft: #5b6068; --line: #dfdcd6; --card: #ffffff;
  --bad: #a8201a; --good: #1c6b3a; --warn: #7a5200; --code: #f3f1ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16181c; --ink: #e8e6e1; --soft: #a2a7b0; --line: #34383f; --card: #1d2025;
    --bad: #ff8f87; --good: #7ddaa0; --warn: #e9bd62; --code: #24282e;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
header { border-left: .5rem solid var(--good); padding-left: 1rem; }
header.bad { border-color: var(--bad); }
h1 { margin: 0; font-size: 1.5rem; overflow-wrap: anywhere; }
h1 strong { color: var(--good); }
.bad h1 strong { color: var(--bad); }
header p, .notes { margin: .25rem 0; color: var(--soft); }
.kicker { font-size: .85rem; letter-spacing: .06em; text-transform: uppercase; }
.notes { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.25rem; font-size: .9rem; }
h2 { font-size: 1.2rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; margin: 2rem 0 1rem; }
h3 { font-size: 1rem; margin: 1rem 0 .4rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .85rem; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
`
