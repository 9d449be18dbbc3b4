/** The players whose money moved on a day: what each had, what moved, what is left. */

import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { sumOf } from '../../../../src/protocol/decimal.ts'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { csvLine, textCell } from '../../../../src/runtime/csv.ts'
import { isZero, signed } from '../../../../src/timeline/amounts.ts'
import { part, read } from '../../api.ts'
import { amountText } from '../../format.tsx'
import { type Column, List } from '../../list.tsx'
import { Empty, Refusal } from '../../parts.tsx'
import { saveText } from '../../save.ts'

const MEMBERS = [
  ...(['opening', 'deposits', 'withdrawals', 'stakes', 'refunds', 'payouts'] as const),
  ...(['resettlements', 'adjustments', 'openings', 'net', 'closing'] as const),
]
type PlayerOfDay = Readonly<Record<(typeof MEMBERS)[number], string>> & {
  readonly userId: string
  readonly currency: string
}

/** Rows of a saved table: a page is 500 of them. */
const MOST_SAVED = 20_000

export function PlayersOfTheDay({ day }: { day: string }) {
  const path = `/operator/reports/players?day=${part(day)}`
  const saved = useMutation({ mutationFn: () => save(path, day) })
  return (
    <section className="card" aria-label="Players of the day">
      <header>
        <h2>Players of the day</h2>
        <span className="muted small">whose money moved, by id; net has the stakes in play too</span>
        <span className="spring" />
        <button type="button" className="button quiet" disabled={saved.isPending} onClick={() => saved.mutate()}>
          {saved.isPending ? 'Saving…' : 'CSV'}
        </button>
      </header>
      {saved.error !== null && <Refusal>Not saved: {saved.error.message}.</Refusal>}
      <List<PlayerOfDay>
        path={`${path}&limit=20`}
        columns={COLUMNS}
        keyOf={({ userId, currency }) => `${userId} ${currency}`}
        empty={
          <Empty title="No player’s money moved on this day.">
            <p>A deposit, a bet, a payout or an adjustment makes a line here.</p>
          </Empty>
        }
      />
    </section>
  )
}

async function save(path: string, day: string): Promise<void> {
  const rows: PlayerOfDay[] = []
  for (let after = ''; ; ) {
    const { data, next } = await read<{ data: PlayerOfDay[]; next: string | null }>(`${path}&limit=500${after}`)
    rows.push(...data)
    if (next === null) break
    if (rows.length >= MOST_SAVED)
      throw new Error(`there are more than ${MOST_SAVED} players: ask the API, page by page`)
    after = `&after=${part(next)}`
  }
  const lines = rows.map((row) => csvLine([textCell(row.userId), row.currency, ...MEMBERS.map((name) => row[name])]))
  saveText(`players-${day}.csv`, [csvLine(['userId', 'currency', ...MEMBERS]), ...lines].join(''))
}

const amount = (name: string, of: (row: PlayerOfDay) => string): Column<PlayerOfDay> => ({
  ...{ name, isNumber: true },
  show: (row) => (isZero(of(row)) ? <span className="muted">{amountText(of(row))}</span> : amountText(of(row))),
})

type Kind = (typeof MEMBERS)[number]

/** The sum of these; left out when each of them is zero for all. */
const moved = (name: string, ...kinds: readonly Kind[]): Column<PlayerOfDay> => ({
  ...amount(name, (row) => sumOf(kinds.map((kind) => row[kind]))),
  saysNothing: (row) => kinds.every((kind) => isZero(row[kind])),
})

const COLUMNS: readonly Column<PlayerOfDay>[] = [
  {
    name: 'Player',
    show: ({ userId }) => (
      <Link className="cut" href={`/players/${pathPart(userId)}`}>
        {userId}
      </Link>
    ),
  },
  { name: 'Currency', show: ({ currency }) => currency },
  amount('Had', ({ opening }) => opening),
  moved('Deposits', 'deposits'),
  moved('Withdrawals', 'withdrawals'),
  moved('Staked', 'stakes'),
  moved('Refunded', 'refunds'),
  moved('Paid out', 'payouts', 'resettlements'),
  moved('Adjusted', 'adjustments', 'openings'),
  { name: 'Net', isNumber: true, show: ({ net }) => signed(net) },
  amount('Has', ({ closing }) => closing),
]
