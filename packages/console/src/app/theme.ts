/** Light or dark theme; the default is the system's. */

export type Theme = 'system' | 'light' | 'dark'
const ORDER: readonly Theme[] = ['system', 'light', 'dark']

export function readTheme(): Theme {
  const stored = localStorage.getItem('theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(next: Theme = readTheme()): void {
  if (next === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', next)
  localStorage.setItem('theme', next)
}

export function nextTheme(now: Theme): Theme {
  return ORDER[(ORDER.indexOf(now) + 1) % ORDER.length] as Theme
}
