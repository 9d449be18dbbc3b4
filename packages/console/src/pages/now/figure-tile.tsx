/** Tile with a figure and a link to the list that explains the figure. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { amountText } from '../../shared/charts/format.tsx'

interface FigureTileProps {
  readonly name: string
  readonly children: ReactNode
  readonly note?: ReactNode
  readonly href: string
}

export function FigureTile({ name, children, note, href }: FigureTileProps) {
  return (
    <div className="now-fact">
      <dt>{name}</dt>
      <dd>
        <Link href={href}>{children}</Link>
      </dd>
      {note !== undefined && <dd className="note">{note}</dd>}
    </div>
  )
}

/** Placeholder for a figure that is loading or failed. */
export const unknownFigure = (error: unknown) => (error === null ? '…' : '–')

const MOST_CURRENCIES = 4

export interface AmountLine {
  readonly amount: string
  readonly currency: string
  readonly note?: string
}

/** One line per currency, with the currency's own decimals. */
export function AmountLines({ of }: { of: readonly AmountLine[] }) {
  return (
    <>
      {of.slice(0, MOST_CURRENCIES).map(({ amount, currency, note = '' }) => (
        <span className="amount num" key={`${currency} ${note}`}>
          {amountText(amount)}{' '}
          <small>
            {currency} {note}
          </small>
        </span>
      ))}
      {of.length > MOST_CURRENCIES && <small>and {of.length - MOST_CURRENCIES} more</small>}
    </>
  )
}
