/** CSS of the sandbox's front page, light and dark. */
export const FRONT_PAGE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dbe0, #3a3f47); --soft: light-dark(#5a6270, #9aa3b2);
  --mark: light-dark(#fff3d6, #4a3d17); --box: light-dark(#f6f7f9, #1f2329) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p { margin: 0 0 .5rem }
.note { color: var(--soft) }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); font-weight: normal;
  white-space: nowrap }
th { color: var(--soft) }
td:last-child { width: 100%; white-space: normal }
.money { text-align: right; font-variant-numeric: tabular-nums }
code, pre { font: .9rem/1.5 ui-monospace, monospace }
.copy { user-select: all; overflow-wrap: anywhere }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: .8rem; overflow-x: auto; margin: 0 }
.hand td { background: var(--mark) }
iframe { border: 0; width: 100%; height: 31rem }
@media (max-width: 40rem) {
  body { padding: 1rem }
  th, td { white-space: normal; padding-right: .6rem }
  td:last-child { width: auto }
  td > code { font-size: .8rem }
  .bets td, .bets th { padding-right: .3rem; font-size: .76rem }
  .bets td:nth-child(-n+4) { white-space: nowrap }
}
body:has(.bets), body:has(> .note:only-child) { padding: 0; max-width: none }
`
