/**
 * Form of a manual adjustment. Above a set amount the adjustment needs the approval of a second
 * user.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callApi, encodeQueryPart, getJson } from '../../app/console-api.ts'
import { hasRole, useSession } from '../../app/console-session.tsx'
import { Dialog } from '../../shared/controls/dialog.tsx'
import { Badge } from '../../shared/controls/page-states.tsx'
import { EarlierAdjustments } from '../bet/bet-adjustments.tsx'
import { type AdjustmentProposal, PendingAdjustment } from './pending-adjustment.tsx'
import './adjust.css'

interface AdjustProps {
  readonly user: string
  readonly currencies: readonly string[]
  /** The bet to correct, if the form was opened from a bet. */
  readonly bet?: string
}

export function AdjustButton(props: AdjustProps) {
  const { person } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!hasRole(person, 'cash')) return null
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Adjust…
      </button>
      {isOpen && <AdjustmentDialog {...props} close={() => setOpen(false)} />}
    </>
  )
}

/** The least number of characters of a bet's id. */
const SHORTEST_ID = 10

/** The reference is created with the dialog, so a double click books one adjustment. */
function AdjustmentDialog({ user, currencies, bet = '', close }: AdjustProps & { close(): void }) {
  const client = useQueryClient()
  const [corrected, setCorrected] = useState(bet)
  const [reference] = useState(() => `console-${Date.now()}-${Math.floor(Math.random() * 1e9)}`)
  const make = useMutation({
    mutationFn: (body: object) =>
      callApi<{ status?: string }>('POST', `/operator/players/${encodePathSegment(user)}/adjustments`, body),
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
      ...(corrected !== '' && { transactionId: corrected }),
    })
  }
  return (
    <Dialog title={`Adjust the balance of ${user}`} close={close}>
      {make.data === undefined ? (
        <form className="window-form" onSubmit={submit}>
          <label className="field">
            <span>Amount (negative to debit)</span>
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
            <span>Reason (shown in the statement)</span>
            <input name="reason" required maxLength={500} autoComplete="off" />
          </label>
          <label className="field">
            <span>Ticket (optional)</span>
            <input name="ticket" maxLength={128} autoComplete="off" />
          </label>
          <label className="field">
            <span>Bet to correct (optional)</span>
            <input
              name="bet"
              value={corrected}
              onChange={({ target }) => setCorrected(target.value.trim())}
              readOnly={bet !== ''}
              autoComplete="off"
            />
          </label>
          {corrected.length >= SHORTEST_ID && <EarlierAdjustments user={user} bet={corrected} />}
          {make.error !== null && (
            <p className="notice" role="alert">
              The adjustment was not posted: {make.error.message}.
            </p>
          )}
          <div className="choices">
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" className="button main-one" disabled={make.isPending}>
              Post adjustment
            </button>
          </div>
        </form>
      ) : (
        <>
          <p role="status">
            {make.data.status === 'pending'
              ? 'Sent for approval. Someone else must approve it in Finance.'
              : 'The adjustment was posted.'}
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

const POLL_MS = 4_000

/** Lists the adjustments of one player, or of every player without `user`. */
export function WaitingAdjustments({ user }: { user?: string }) {
  const of = user === undefined ? '' : `&userId=${encodeQueryPart(user)}`
  const { data } = useQuery({
    queryKey: ['adjustments', user],
    queryFn: ({ signal }) =>
      getJson<{ data: AdjustmentProposal[] }>(`/operator/adjustments?status=pending&limit=50${of}`, signal),
    refetchInterval: POLL_MS,
  })
  if (data === undefined || data.data.length === 0) return null
  return (
    <section className="card" aria-label="Pending adjustments">
      <header>
        <h2>Pending approval</h2>
        <span className="muted small">The user who requested an adjustment cannot approve it.</span>
      </header>
      <ul className="asked">
        {data.data.map((one) => (
          <PendingAdjustment key={`${one.userId} ${one.reference}`} one={one} />
        ))}
      </ul>
    </section>
  )
}

const STATES = {
  pending: { tone: 'wait', title: 'Pending approval' },
  refused: { tone: 'plain', title: 'Rejected' },
  expired: { tone: 'plain', title: 'Expired' },
}

/** A single adjustment as a search result. */
export function ProposedAdjustment({ one }: { one: AdjustmentProposal }) {
  const { tone, title } = STATES[one.status]
  return (
    <section className="card" aria-label="Adjustment">
      <header>
        <h2>Requested adjustment</h2>
        <Badge tone={tone}>{title}</Badge>
      </header>
      <ul className="asked">
        <PendingAdjustment one={one} />
      </ul>
    </section>
  )
}
