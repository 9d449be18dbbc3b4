/** Sending again what one cause holds up: first tried dry, then sent, then what came of each. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { PlatformBet } from '../../timeline/history.ts'
import { ask, part, read } from '../api.ts'
import { Dialog } from '../dialog.tsx'
import { ShortId } from '../format.tsx'
import { Answer } from '../parts.tsx'
import { type Delivery, DeliveryState } from './deliveries.tsx'
import type { Issue } from './deliveries-issues.tsx'

interface Retried {
  readonly count: number
  readonly money: readonly { readonly currency: string; readonly amount: string }[]
  readonly taken: number
  readonly notTaken: { readonly stillTried: number; readonly changed: number }
}

export function SendAgain({ issue, base, close }: { issue: Issue; base: string; close(): void }) {
  const { partnerId, operation, status, code, deliveries } = issue
  const chosen = { partnerId, operation, status, ...(code !== undefined && { code }) }
  const retry = (dryRun: boolean) => ask<Retried>('POST', `${base}/deliveries/retry`, { ...chosen, dryRun })
  const dry = useQuery({ queryKey: ['dry run', chosen], queryFn: () => retry(true), gcTime: 0 })
  const send = useMutation({ mutationFn: () => retry(false) })
  return (
    <Dialog title="Send again" close={close}>
      {send.data !== undefined ? (
        <Sent sent={send.data} deliveries={deliveries} base={base} />
      ) : (
        <Answer of={dry}>
          {({ count, money, notTaken }) => (
            <>
              <p>
                <strong>{count}</strong> would be sent again
                {money.length > 0 && (
                  <>, about {money.map(({ amount, currency }) => `${amount} ${currency}`).join(', ')}</>
                )}
                . Nothing has been sent yet.
              </p>
              <p className="muted">
                The same bytes go out with the same request id. A partner that has booked one already answers the same
                again and books nothing.
              </p>
              {notTaken.stillTried > 0 && (
                <p className="muted">{notTaken.stillTried} more are tried again by themselves.</p>
              )}
            </>
          )}
        </Answer>
      )}
      {send.error !== null && (
        <p className="notice" role="alert">
          Not sent: {send.error.message}.
        </p>
      )}
      <div className="choices">
        <button type="button" className="button" onClick={close}>
          {send.data === undefined ? 'Cancel' : 'Done'}
        </button>
        {send.data === undefined && (
          <button
            type="button"
            className="button main-one"
            disabled={!dry.data?.count || send.isPending}
            onClick={() => send.mutate()}
          >
            {send.isPending ? 'Sending…' : `Send ${dry.data?.count ?? ''} again`}
          </button>
        )}
      </div>
    </Dialog>
  )
}

/** Lines whose outcome is followed. */
const FOLLOWED = 20

function Sent({
  sent: { taken, notTaken },
  deliveries,
  base,
}: {
  sent: Retried
  deliveries: readonly Delivery[]
  base: string
}) {
  return (
    <>
      <p role="status">
        <strong>{taken}</strong> sent again
        {notTaken.changed > 0 && `, ${notTaken.changed} were changed by somebody else meanwhile`}.
      </p>
      <ul className="outcomes" aria-label="What came of each">
        {deliveries.slice(0, FOLLOWED).map(({ deliveryId, betId }) => (
          <li key={deliveryId}>
            <Link href={`/bets/${part(betId)}`}>
              <ShortId id={betId} />
            </Link>
            <Outcome deliveryId={deliveryId} betId={betId} base={base} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Milliseconds between two looks at one that is under way. */
const LOOK_MS = 700

function Outcome({ deliveryId, betId, base }: { deliveryId: string; betId: string; base: string }) {
  const { data } = useQuery({
    queryKey: ['outcome', deliveryId],
    queryFn: async ({ signal }) => {
      const { deliveries } = await read<PlatformBet>(`${base}/bets/${part(betId)}`, signal)
      return deliveries.find((one) => one.deliveryId === deliveryId) ?? null
    },
    gcTime: 0,
    refetchInterval: ({ state }) => (/^(pending|waiting)$/.test(state.data?.status ?? 'pending') ? LOOK_MS : false),
  })
  return data ? <DeliveryState status={data.status} code={data.code} /> : <span className="muted">…</span>
}
