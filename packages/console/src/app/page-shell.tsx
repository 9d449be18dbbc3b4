/** Frame of every page: navigation, search, theme and the signed-in user. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { setZone, useZone } from '../shared/charts/format.tsx'
import { Hints } from '../shared/controls/hint-card.tsx'
import { ErrorBoundary } from '../shared/controls/page-states.tsx'
import icon from '../shared/look/icon.svg'
import { displayName, roleTitle, useSession } from './console-session.tsx'
import { LedgerStatus, LiveIndicator } from './status-lights.tsx'

const WALLET_PAGES = [
  ['/calls', 'API calls'],
  ['/players', 'Players'],
  ['/money', 'Finance'],
  ['/reports', 'Reports'],
] as const

export function Shell({ children }: { children: ReactNode }) {
  const { bases, setup } = useSession()
  const [path] = useLocation()
  const items = [
    ...(setup.isSandbox ? [['/demo', 'Demo'] as const] : []),
    ['/now', 'Overview'] as const,
    ['/bets', 'Bets'] as const,
    ...(bases.wallet ? WALLET_PAGES : []),
    ...(bases.platform === undefined ? [] : [['/deliveries', 'Deliveries'] as const]),
    ...(bases.wallet ? [['/conformance', 'Conformance'] as const] : []),
    ['/settings', 'Settings'] as const,
  ]
  const rail = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path marks another item
  useEffect(() => {
    // The braces drop the promise that some browsers return; it is no clean-up function.
    rail.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [path])
  return (
    <div className="frame">
      <nav className="rail beside" aria-label="Pages" ref={rail}>
        <Link href="/" className="brand">
          <img src={icon} alt="" /> <span>Purser</span>
        </Link>
        {items.map(([href, name]) => (
          <Link key={href} href={href} className="item" aria-current={path.startsWith(href) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
        <Foot />
      </nav>
      <div className="main">
        <header className="bar">
          <Search />
          <span className="spring" />
          <LedgerStatus />
          <LiveIndicator />
          <ZoneSwitch />
        </header>
        <main>
          <SearchedNote />
          <ErrorBoundary at={path}>{children}</ErrorBoundary>
        </main>
      </div>
      <Hints />
    </div>
  )
}

function Foot() {
  const { person, leave } = useSession()
  return (
    <div className="foot">
      <span className="who">
        {displayName(person)} · {roleTitle(person.role)}
      </span>
      <ThemeButton />
      <button type="button" className="button quiet" onClick={() => void leave()}>
        Sign out
      </button>
    </div>
  )
}

function ZoneSwitch() {
  const zone = useZone()
  return (
    <fieldset className="switch" aria-label="Times">
      {(['utc', 'local'] as const).map((one) => (
        <button key={one} type="button" aria-pressed={zone === one} onClick={() => setZone(one)}>
          {one === 'utc' ? 'UTC' : 'Local'}
        </button>
      ))}
    </fieldset>
  )
}

function SearchedNote() {
  const state = useHistoryState<{ readonly searched?: unknown } | null>()
  if (typeof state?.searched !== 'string') return null
  return (
    <p className="searched muted small" role="status">
      Opened by the search for “{state.searched}”.
    </p>
  )
}

function Search() {
  const [path, go] = useLocation()
  const [query] = useSearchParams()
  const box = useRef<HTMLInputElement>(null)
  // `q` of another page is no search
  const text = path.startsWith('/find') ? (query.get('q') ?? '') : ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page clears the text
  useEffect(() => {
    if (box.current !== null) box.current.value = text
  }, [path, text])
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      box.current?.focus()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = box.current?.value.trim()
    if (!typed) return
    box.current?.blur() // shortcuts now act on the results
    go(`/find?q=${encodeURIComponent(typed)}`)
  }
  return (
    <search className="search">
      <form onSubmit={submit}>
        <label>
          <span className="vh">Search</span>
          <input
            ref={box}
            name="q"
            placeholder="Search for a bet, player, reference or request…"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
        <kbd title="Press / to search">/</kbd>
      </form>
    </search>
  )
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

export function ThemeButton() {
  const [chosen, setChosen] = useState(readTheme)
  const change = () => {
    const next = nextTheme(chosen)
    applyTheme(next)
    setChosen(next)
  }
  const word = { system: 'System', light: 'Light', dark: 'Dark' }[chosen]
  return (
    <button type="button" className="button quiet" onClick={change} aria-label={`Colours: ${word}. Change`}>
      ◐ {word}
    </button>
  )
}

/** The default is the system's. */
type Theme = 'system' | 'light' | 'dark'
const THEME_ORDER: readonly Theme[] = ['system', 'light', 'dark']

function readTheme(): Theme {
  const stored = localStorage.getItem('theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(next: Theme = readTheme()): void {
  if (next === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', next)
  localStorage.setItem('theme', next)
}

function nextTheme(now: Theme): Theme {
  return THEME_ORDER[(THEME_ORDER.indexOf(now) + 1) % THEME_ORDER.length] as Theme
}
