/** A player's money: what can be staked, what is in play, what the bets have brought, and the balance as a step line with the bets on it. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import { Link } from 'wouter'
import { sayKind, signed } from '../../../src/timeline/draw.ts'
import { sumOf } from '../../../src/timeline/sum.ts'
import { part, read } from '../api.ts'
import { amountText, ShortId, Time } from '../format.tsx'
import { Answer, Empty } from '../parts.tsx'
import { AXIS, clockText, type Look, Plot, token, type Zone } from '../plot.tsx'
import { saveText } from '../save.ts'

export interface Row {
  readonly transferId: string
  readonly kind: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly transactionId?: string
  readonly reference?: string
  readonly reason?: string
  readonly at: string
}

interface OpenBet {
  readonly stake?: string
  readonly stakePaidBy?: 'player' | 'promotions'
  readonly currency?: string
  readonly placedAt?: string
}

interface Page<T> {
  readonly data: readonly T[]
  readonly next: string | null
}

/** The newest transfers that are drawn, and the open bets that are added up. */
const MOST = 200
const LOOK_MS = 3_000
const HEIGHT = 220

interface Balance {
  readonly currency: string
  readonly amount: string
}

export function PlayerMoney({ user, balances }: { user: string; balances: readonly Balance[] }) {
  const [chosen, setChosen] = useState<string>()
  const balance = balances.find(({ currency }) => currency === chosen) ?? balances[0]
  if (balance === undefined) return null
  return (
    <>
      {balances.length > 1 && (
        <fieldset className="switch" aria-label="Currency">
          {balances.map(({ currency }) => (
            <button
              key={currency}
              type="button"
              aria-pressed={currency === balance.currency}
              onClick={() => setChosen(currency)}
            >
              {currency}
            </button>
          ))}
        </fieldset>
      )}
      <OneCurrency key={balance.currency} user={user} balance={balance} />
    </>
  )
}

function OneCurrency({ user, balance: { currency, amount } }: { user: string; balance: Balance }) {
  const base = `/operator/players/${part(user)}`
  const asked = useQuery({
    queryKey: ['player money', user, currency],
    queryFn: async ({ signal }) => {
      const [moved, open] = await Promise.all([
        read<Page<Row>>(`${base}/statement?limit=${MOST}&currency=${part(currency)}`, signal),
        read<Page<OpenBet>>(`/operator/bets?status=open&limit=${MOST}&userId=${part(user)}`, signal),
      ])
      return { moved, open }
    },
    refetchInterval: LOOK_MS,
  })
  return (
    <Answer of={asked}>
      {({ moved, open }) => (
        <>
          <dl className="facts">
            <Fact name="Available">
              {amountText(amount)} {currency}
            </Fact>
            <Fact name="In play" note={open.next === null ? undefined : `of the newest ${MOST} open bets`}>
              {inPlay(open.data, currency, amount)} {currency}
            </Fact>
            <Fact name="Net of bets" note={isFromTheBeginning(moved, amount) ? undefined : sinceText(moved.data)}>
              <NetOfBets moved={moved} open={open.data} balance={{ currency, amount }} />
            </Fact>
          </dl>
          <BalanceChart rows={moved.data} isWhole={moved.next === null} currency={currency} user={user} />
        </>
      )}
    </Answer>
  )
}

function Fact({ name, note, children }: { name: string; note?: string | undefined; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {note !== undefined && <dd className="muted small">{note}</dd>}
    </div>
  )
}

/** As many digits as the balance has, also where nothing is added up. */
const zeroLike = (amount: string) => sumOf([amount, minus(amount)])

const minus = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)

/** What promotions staked is not the player's. */
function inPlay(open: readonly OpenBet[], currency: string, amount: string): string {
  const stakes = open.filter((bet) => bet.currency === currency && bet.stakePaidBy !== 'promotions')
  return sumOf([zeroLike(amount), ...stakes.flatMap(({ stake }) => stake ?? [])])
}

/** Later than any time. */
const NEVER = '9'

/** What is still in play is not lost: stakes of open bets do not count, as far as the movements that are added up have them. */
function NetOfBets({ moved, open, balance }: { moved: Page<Row>; open: readonly OpenBet[]; balance: Balance }) {
  const { currency, amount } = balance
  const since = isFromTheBeginning(moved, amount) ? '' : (moved.data.at(-1)?.at ?? NEVER)
  const counted = open.filter(({ placedAt = '' }) => placedAt >= since)
  const held = inPlay(counted, currency, amount)
  const net = sumOf([netOf(moved.data, amount), held])
  return (
    <>
      {signed(net)} {currency}
      {/[1-9]/.test(held) && (
        <small className="muted">
          {' '}
          and {held} {currency} in play
        </small>
      )}
    </>
  )
}

function netOf(rows: readonly Row[], amount: string): string {
  return sumOf([zeroLike(amount), ...rows.filter(isOfBet).map((row) => row.amount)])
}

const OF_BETS = ['stake', 'refund', 'payout', 'payout_reversal']
const isOfBet = ({ kind }: Row) => OF_BETS.includes(kind)

/** False where older ones are on the next page, or lie in files (O-13): the account began with nothing. */
function isFromTheBeginning({ data, next }: Page<Row>, amount: string): boolean {
  const oldest = data.at(-1)
  const before = oldest === undefined ? amount : sumOf([oldest.balance, minus(oldest.amount)])
  return next === null && /^-?[0.]+$/.test(before)
}

function sinceText(rows: readonly Row[]): string {
  const oldest = rows.at(-1)
  if (oldest === undefined) return 'since what was archived'
  return `since ${oldest.at.slice(0, 16).replace('T', ' ')} UTC`
}

interface ChartProps {
  readonly rows: readonly Row[]
  readonly isWhole: boolean
  readonly currency: string
  readonly user: string
}

function BalanceChart({ rows, isWhole, currency, user }: ChartProps) {
  const steps = useMemo(() => rows.toReversed(), [rows])
  const [at, setAt] = useState<number>()
  const point = useRef(setAt)
  const look = useCallback((zone: Zone) => lookOf(zone, (next) => point.current(next)), [])
  const data = useMemo(() => dataOf(steps), [steps])
  const shown = at === undefined ? undefined : steps[Math.min(Math.max(at, 1), steps.length) - 1]
  const [first, last] = [steps[0], steps.at(-1)]
  return (
    <section className="card" aria-label="Balance">
      <header>
        <h2>Balance</h2>
        <span className="keys">
          <span className="key staked">Staked or taken back</span>
          <span className="key paid">Paid or given back</span>
          <span className="key cash">Not of a bet</span>
        </span>
        <span className="spring" />
        {first !== undefined && (
          <button type="button" className="button quiet" onClick={() => saveText('purser-balance.csv', csvOf(steps))}>
            CSV
          </button>
        )}
      </header>
      {first === undefined || last === undefined ? (
        <Empty title="No money has moved yet.">
          <p>A deposit makes the first step of this line.</p>
        </Empty>
      ) : (
        <div className="body balance-chart">
          <p className="muted small readout">
            {shown === undefined ? (
              `Point at a step to read it. ${isWhole ? 'All' : `The newest ${steps.length}`} of the statement below.`
            ) : (
              <>
                <Time at={shown.at} /> · {sayKind(shown.kind)} {signed(shown.amount)}, balance{' '}
                {amountText(shown.balance)} {currency}
                {shown.transactionId !== undefined && (
                  <>
                    {' '}
                    · bet{' '}
                    <Link href={`/bets/${part(user)}/${part(shown.transactionId)}`}>
                      <ShortId id={shown.transactionId} />
                    </Link>
                  </>
                )}
              </>
            )}
          </p>
          <Plot
            look={look}
            data={data}
            height={HEIGHT}
            says={`The balance in ${currency} after each of ${steps.length} movements: first ${first.balance}, last ${last.balance}`}
          />
        </div>
      )}
    </section>
  )
}

function csvOf(steps: readonly Row[]): string {
  const lines = steps.map(({ at, kind, amount, balance, currency, transactionId = '' }) =>
    [at, kind, amount, balance, currency, `"${transactionId.replaceAll('"', '""')}"`].join(','),
  )
  return `${['at,kind,amount,balance,currency,bet', ...lines].join('\r\n')}\r\n`
}

/** For the eye only: what is shown as a number is the API's own text. The first point is what there was before, the last one is now. */
function dataOf(steps: readonly Row[]): uPlot.AlignedData {
  const [first] = steps
  if (first === undefined) return [[], []]
  const seconds = steps.map(({ at }) => Date.parse(at) / 1_000)
  const balances = steps.map(({ balance }) => Number(balance))
  const [begin = 0, now] = [seconds[0], Date.now() / 1_000]
  const mark = (is: (row: Row) => boolean) => [
    null,
    ...steps.map((row, i) => (is(row) ? (balances[i] ?? null) : null)),
    null,
  ]
  return [
    [begin, ...seconds, Math.max(now, seconds.at(-1) ?? now)],
    [(balances[0] ?? 0) - Number(first.amount), ...balances, balances.at(-1) ?? 0],
    mark((row) => isOfBet(row) && row.amount.startsWith('-')),
    mark((row) => isOfBet(row) && !row.amount.startsWith('-')),
    mark((row) => !isOfBet(row)),
  ]
}

const stepped = uPlot.paths.stepped?.({ align: 1 })
/** Only its points are drawn. */
const marks = (stroke: string, fill: string, size: number): uPlot.Series => ({
  ...{ stroke: token(stroke), width: 0, paths: () => null },
  points: { show: true, size, width: 2, stroke: token(stroke), fill: token(fill) },
})

const DAY_SECONDS = 86_400
/** Where minutes do not tell the labels apart. */
const SHORT_SECONDS = 600

/** What was pointed at stays, so that its link can be reached. */
function lookOf(zone: Zone, point: (at: number) => void): Look {
  const labels = (_: uPlot, at: number[]) => {
    const span = (at.at(-1) ?? 0) - (at[0] ?? 0)
    const textOf = (one: number) =>
      span > DAY_SECONDS ? dayText(zone, one) : clockText(zone, one, span < SHORT_SECONDS)
    return at.map(textOf).map((text, i, all) => (text === all[i - 1] ? '' : text)) // half a second is no new label
  }
  return {
    series: [
      {},
      { stroke: token('--accent'), width: 2, points: { show: false }, ...(stepped && { paths: stepped }) },
      marks('--open', '--surface', 8),
      marks('--good', '--good', 7),
      marks('--muted', '--line', 9),
    ],
    scales: {
      x: { range: (_, first, last) => (last > first ? [first, last] : [first - 60, first + 60]) },
      y: {
        range: (_, least, most) => (most > least ? uPlot.rangeNum(least, most, 0.12, true) : [least - 1, most + 1]),
      },
    },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    hooks: { setCursor: [({ cursor: { idx } }) => void (typeof idx === 'number' && point(idx))] },
    padding: [10, 36, 0, 0], // half of the last label stands right of its tick
    axes: [
      { ...AXIS, grid: { show: false }, size: 28, space: 70, values: labels },
      { ...AXIS, size: 72, space: 34 },
    ],
  }
}

function dayText(zone: Zone, at: number): string {
  const time = new Date(at * 1_000)
  const [month, day] = zone === 'utc' ? [time.getUTCMonth(), time.getUTCDate()] : [time.getMonth(), time.getDate()]
  return `${`${month + 1}`.padStart(2, '0')}-${`${day}`.padStart(2, '0')}`
}
