/** A tile: a figure that leads to the list behind it. */
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

/** In the place of a figure: it is asked for, or could not be had. */
export const unknownFigure = (error: unknown) => (error === null ? '…' : '–')

const MOST_CURRENCIES = 4

export interface AmountLine {
  readonly amount: string
  readonly currency: string
  /** What else is to be known of it. */
  readonly says?: string
}

/** One line per currency, in its own digits. */
export function AmountLines({ of }: { of: readonly AmountLine[] }) {
  return (
    <>
      {of.slice(0, MOST_CURRENCIES).map(({ amount, currency, says: note = '' }) => (
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
