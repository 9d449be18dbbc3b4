/**
 * Style and script of the report page. The script filters cases by verdict, opens all details for
 * printing, and shows the target of a link even if a filter hides it.
 */
import { PAGE_STYLE } from '@purser/runtime/text/html-page'

export const REPORT_STYLE = `${PAGE_STYLE}nav { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.5rem 0; position: sticky; top: 0; padding: .5rem 0;
  background: var(--page); }
button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 2rem;
  padding: .3rem .9rem; cursor: pointer; }
button[aria-pressed=true] { background: var(--ink); color: var(--page); border-color: var(--ink); }
:focus-visible { outline: 3px solid var(--warn); outline-offset: 2px; }
article { background: var(--card); border: 1px solid var(--line); border-left: .35rem solid var(--bad);
  border-radius: .4rem; padding: .25rem 1rem 1rem; margin: 0 0 1rem; scroll-margin-top: 4rem; }
article.uncounted { border-left-color: var(--warn); }
article h4 { margin: .75rem 0 .25rem; font-size: 1.05rem; }
article h4 a { color: inherit; }
.change { margin: 2rem 0 .5rem; }
header.open { border-color: var(--warn); }
header.open strong { color: var(--warn); }
dl { margin: 0; }
dt { font-weight: 600; margin-top: .6rem; scroll-margin-top: 4rem; }
dd { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
.clause a, small a { color: inherit; }
article p { margin: .25rem 0; }
.loses { font-size: 1.1rem; font-weight: 600; color: var(--bad); }
.uncounted .loses { color: var(--warn); }
.why { overflow-wrap: anywhere; }
.clause, small { color: var(--soft); font-size: .9rem; }
.level { font-size: .75rem; letter-spacing: .04em; border: 1px solid currentColor; border-radius: .25rem; padding: 0 .35rem;
  color: var(--soft); }
.cases { list-style: none; margin: 0; padding: 0; }
.cases li { padding: .3rem 0; border-top: 1px solid var(--line); scroll-margin-top: 4rem; }
summary { cursor: pointer; margin-top: .5rem; }
details ol { padding-left: 1.25rem; }
details li { margin: .25rem 0; overflow-wrap: anywhere; }
.look b { font-weight: 400; color: var(--soft); }
pre { margin: 0; padding: .6rem .8rem; background: var(--code); border-radius: .3rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
pre.answer { margin: .25rem 0 0 1.25rem; border-left: .25rem solid var(--soft); }
body[data-show=failed] main > :not(#failed), body[data-show=not-judged] main > :not(#not-judged),
body[data-show=passed] main > :not(#passed) { display: none; }
@media print {
  nav { display: none; }
  body { max-width: none; background: #fff; color: #000; }
  article, .cases li { break-inside: avoid-page; }
  article:has(details[open]) { break-inside: auto; }
}
`

export const REPORT_SCRIPT = `
const buttons = document.querySelectorAll('nav button')
const show = (name) => {
  document.body.dataset.show = name
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.show === name))
}
for (const button of buttons) button.addEventListener('click', () => show(button.dataset.show))
addEventListener('beforeprint', () => {
  show('all')
  for (const details of document.querySelectorAll('details')) details.open = true
})
const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target) show('all'), target.scrollIntoView()
}
addEventListener('hashchange', follow)
follow()
`
