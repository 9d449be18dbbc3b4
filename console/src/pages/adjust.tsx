/** A correction by hand: it needs a reason and, above an amount, a second person. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { signed } from '../../../src/timeline/amounts.ts'
import { ask, read } from '../api.ts'
import { Dialog } from '../dialog.tsx'
import { Time } from '../format.tsx'
import { Badge } from '../parts.tsx'
import { mayDo, useSession } from '../session.tsx'
import './adjust.css'

/** Asked for, and not made. */
export interface Asked {
  readonly userId: string
  readonly reference: string
  readonly currency: string
  readonly amount: string
  readonly reason: string
  readonly ticket?: string
  readonly proposedBy: { readonly person: string }
  readonly proposedAt: string
  readonly expiresAt: string
  readonly status: 'pending' | 'refused' | 'expired'
  readonly decidedBy?: { readonly person: string }
  readonly decidedAt?: string
}

export function Adjust({ user, currencies }: { user: string; currencies: readonly string[] }) {
  const { person } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!mayDo(person, 'cash')) return null
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Adjust…
      </button>
      {isOpen && <AdjustWindow user={user} currencies={currencies} close={() => setOpen(false)} />}
    </>
  )
}

/** The reference is made with the window: pressed twice it is booked once. */
function AdjustWindow({ user, currencies, close }: { user: string; currencies: readonly string[]; close(): void }) {
  const client = useQueryClient()
  const [reference] = useState(() => `console-${Date.now()}-${Math.floor(Math.random() * 1e9)}`)
  const make = useMutation({
    mutationFn: (body: object) =>
      ask<{ status?: string }>('POST', `/operator/players/${pathPart(user)}/adjustments`, body),
    onSettled: () => void client.invalidateQueries(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = (name: string) => String(form.get(name) ?? '').trim()
    const ticket = given('ticket')
    make.mutate({
      ...{ currency: given('currency'), amount: given('amount'), reason: given('reason'), reference },
      ...(ticket !== '' && { ticket }),
    })
  }
  return (
    <Dialog title={`Adjust the balance of ${user}`} close={close}>
      {make.data === undefined ? (
        <form className="window-form" onSubmit={submit}>
          <label className="field">
            <span>Amount, with a minus to take money away</span>
            <input name="amount" inputMode="decimal" pattern="-?\d{1,18}(\.\d{1,12})?" required autoComplete="off" />
          </label>
          <label className="field">
            <span>Currency</span>
            <select name="currency">
              {currencies.map((currency) => (
                <option key={currency}>{currency}</option>
              ))}
            </select>
          </label>
          <label className="field">
            <span>Reason, for whoever reads the statement</span>
            <input name="reason" required maxLength={500} autoComplete="off" />
          </label>
          <label className="field">
            <span>Ticket, if there is one</span>
            <input name="ticket" maxLength={128} autoComplete="off" />
          </label>
          {make.error !== null && (
            <p className="notice" role="alert">
              Not booked: {make.error.message}.
            </p>
          )}
          <div className="choices">
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" className="button main-one" disabled={make.isPending}>
              Book it
            </button>
          </div>
        </form>
      ) : (
        <>
          <p role="status">
            {make.data.status === 'pending'
              ? 'Nothing is booked yet: the amount needs a second person, who finds it under Money.'
              : 'It is booked.'}
          </p>
          <div className="choices">
            <button type="button" className="button" onClick={close}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}

const LOOK_MS = 4_000

/** Adjustments that wait for a second person; nothing when none does. */
export function WaitingAdjustments() {
  const { data } = useQuery({
    queryKey: ['adjustments'],
    queryFn: ({ signal }) => read<{ data: Asked[] }>('/operator/adjustments?status=pending&limit=50', signal),
    refetchInterval: LOOK_MS,
  })
  if (data === undefined || data.data.length === 0) return null
  return (
    <section className="card" aria-label="Adjustments that wait">
      <header>
        <h2>Waits for a second person</h2>
        <span className="muted small">Whoever asked for an adjustment cannot approve it.</span>
      </header>
      <ul className="asked">
        {data.data.map((one) => (
          <AskedFor key={`${one.userId} ${one.reference}`} one={one} />
        ))}
      </ul>
    </section>
  )
}

const STATES = {
  pending: { tone: 'wait', title: 'Waits for a second person' },
  refused: { tone: 'plain', title: 'Refused' },
  expired: { tone: 'plain', title: 'Expired' },
}

/** One by itself, as Find shows it. */
export function AskedAdjustment({ one }: { one: Asked }) {
  const { tone, title } = STATES[one.status]
  return (
    <section className="card" aria-label="Adjustment">
      <header>
        <h2>An adjustment that was asked for</h2>
        <Badge tone={tone}>{title}</Badge>
      </header>
      <ul className="asked">
        <AskedFor one={one} />
      </ul>
    </section>
  )
}

function AskedFor({ one }: { one: Asked }) {
  const { person } = useSession()
  const client = useQueryClient()
  const decide = useMutation({
    mutationFn: (what: 'approve' | 'refuse') =>
      ask('POST', `/operator/players/${pathPart(one.userId)}/adjustments/${what}`, { reference: one.reference }),
    onSettled: () => void client.invalidateQueries(),
  })
  return (
    <li>
      <strong className="num">
        {signed(one.amount)} {one.currency}
      </strong>
      <span className="asked-what">
        <span>
          for <Link href={`/players/${pathPart(one.userId)}`}>{one.userId}</Link>: {one.reason}
          {one.ticket !== undefined && <span className="muted"> ({one.ticket})</span>}
        </span>
        <span className="muted small">
          <code>{one.reference}</code>, asked for by {one.proposedBy.person}, <Time at={one.proposedAt} />
        </span>
        <span className="muted small">
          <Outcome one={one} />
        </span>
        {decide.error !== null && (
          <span className="notice" role="alert">
            Not done: {decide.error.message}.
          </span>
        )}
      </span>
      {one.status === 'pending' && mayDo(person, 'cash') && (
        <span className="choices">
          <button type="button" className="button" disabled={decide.isPending} onClick={() => decide.mutate('refuse')}>
            Refuse
          </button>
          <button
            type="button"
            className="button main-one"
            disabled={decide.isPending}
            onClick={() => decide.mutate('approve')}
          >
            Approve
          </button>
        </span>
      )}
    </li>
  )
}

/** Nothing has moved for it: what may still become of it, or why nothing will. */
function Outcome({ one: { status, expiresAt, decidedBy, decidedAt } }: { one: Asked }) {
  if (status === 'pending')
    return (
      <>
        can be approved until <Time at={expiresAt} />
      </>
    )
  if (status === 'expired')
    return (
      <>
        nobody approved it until <Time at={expiresAt} />
      </>
    )
  return (
    <>
      refused by {decidedBy?.person}, {decidedAt !== undefined && <Time at={decidedAt} />}
    </>
  )
}
