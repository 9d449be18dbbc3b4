/**
 * Status lights in the console's top bar: live updates, and whether the ledger sums to zero. Each
 * has a colour, a shape and a word.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { moneyText, useAgo } from '../shared/charts/format.tsx'
import { getJson } from './console-api.ts'
import { useSession } from './console-session.tsx'
import { type Liveness, useLive } from './live-updates.tsx'

const WORDS: Readonly<Record<Liveness, string>> = {
  begins: 'Connecting',
  live: 'Live',
  lost: 'Reconnecting',
  paused: 'Paused',
}
const TITLES: Readonly<Record<Liveness, string>> = {
  begins: 'The page connects to the live updates. Click to pause.',
  live: 'Live updates are on. Click to pause.',
  lost: 'The connection is lost. The page reloads its data every few seconds. Click to pause.',
  paused: 'Live updates are paused. Click to resume.',
}

export function LiveIndicator() {
  const { state, toggle } = useLive()
  return (
    <span role="status">
      <button
        type="button"
        className="light-button"
        onClick={toggle}
        title={TITLES[state]}
        aria-pressed={state === 'paused'}
      >
        <span className={`live ${state}`}>{WORDS[state]}</span>
      </button>
    </span>
  )
}

interface Ledger {
  readonly ok: boolean
  readonly checkedAt: string
  readonly currencies: readonly { readonly currency: string; readonly sum: string }[]
}

/** The server computes the sums no more often. */
const POLL_MS = 10_000

export function LedgerStatus() {
  const { bases } = useSession()
  const { data, isError } = useQuery({
    queryKey: ['ledger'],
    queryFn: ({ signal }) => getJson<Ledger>('/operator/ledger', signal),
    enabled: bases.wallet,
    refetchInterval: POLL_MS,
  })
  const ago = useAgo(data && new Date(data.checkedAt))
  if (!bases.wallet) return null
  const { state, text } = toLedgerState(data, isError)
  return (
    <Link href="/reports?view=trial" className="light-button" title={ledgerTitle(data)}>
      <span className={`ledger ${state}`}>
        {text}
        {ago !== undefined && <span className="ledger-ago"> · {ago}</span>}
      </span>
    </Link>
  )
}

function toLedgerState(ledger: Ledger | undefined, isError: boolean): { state: string; text: string } {
  if (ledger === undefined)
    return isError ? { state: 'unknown', text: 'Ledger unknown' } : { state: 'begins', text: 'Ledger …' }
  const off = ledger.currencies.filter(({ sum }) => /[1-9]/.test(sum))
  if (off.length > 0)
    return {
      state: 'off',
      text: `Ledger out of balance by ${off.map(({ sum, currency }) => moneyText(sum, currency)).join(', ')}`,
    }
  return { state: isError ? 'unknown' : 'zero', text: 'Ledger balanced' }
}

function ledgerTitle(ledger: Ledger | undefined): string {
  const sums = ledger?.currencies.map(({ currency, sum }) => moneyText(sum, currency)).join(', ')
  return sums ? `All accounts sum to ${sums}` : 'The total of the ledger is not known yet'
}
