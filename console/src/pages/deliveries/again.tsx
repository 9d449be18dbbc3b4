/** Sending again what one cause holds up: first tried dry, then sent, then what came of each. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ApiProblem, ask, part, read } from '../../api.ts'
import { Dialog } from '../../dialog.tsx'
import { ShortId } from '../../format.tsx'
import { type OwedMoney, owedText } from '../../owed.ts'
import { Answer, Refusal } from '../../parts.tsx'
import { type Delivery, DeliveryState } from './deliveries.tsx'
import type { Issue } from './issues.tsx'

interface Counted {
  readonly count: number
  readonly money: readonly OwedMoney[]
  readonly notTaken: { readonly stillTried: number }
}

interface Begun {
  readonly retryId: string
}

/** How far a retry has come (C-16). */
interface Retry extends Begun {
  readonly chosen: Readonly<Record<string, unknown>>
  readonly state: 'running' | 'finished' | 'cut_short'
  readonly count: number
  readonly taken: number
}

interface Followed extends Retry {
  readonly states: Readonly<Record<string, number>>
  /** The first of its deliveries. */
  readonly data: readonly Delivery[]
}

/** Retries among which the one that was just begun surely is. */
const LATEST = 20

const chosenOf = ({ partnerId, operation, status, code }: Issue) => ({
  ...{ partnerId, operation, status },
  code: code ?? null, // without a code is a cause of its own
})

/**
 * Sends them again and resolves to the retry's id. The server begins it before it answers: should the answer get lost, the retry that was not
 * there before is the one.
 */
async function sendAgain(issue: Issue, base: string): Promise<Begun> {
  const latest = () => read<{ data: Retry[] }>(`${base}/deliveries/retries?limit=${LATEST}`).then(({ data }) => data)
  const before = new Set((await latest()).map(({ retryId }) => retryId))
  try {
    return await ask<Begun>('POST', `${base}/deliveries/retry`, { ...chosenOf(issue), dryRun: false })
  } catch (error) {
    if (error instanceof ApiProblem && error.status < 500) throw error
    const begun = (await latest()).find((retry) => !before.has(retry.retryId) && isOf(issue, retry))
    if (begun === undefined) throw error
    return begun
  }
}

function isOf({ partnerId, operation, status, code }: Issue, { chosen }: Retry): boolean {
  const wanted: Readonly<Record<string, string>> = { partnerId, operation, status, code: `${code ?? 'none'}` }
  return Object.entries(wanted).every(([name, value]) => chosen[name] === value)
}

export function SendAgain({ issue, base, close }: { issue: Issue; base: string; close(): void }) {
  const chosen = chosenOf(issue)
  const dry = useQuery({
    queryKey: ['dry run', chosen],
    queryFn: () => ask<Counted>('POST', `${base}/deliveries/retry`, { ...chosen, dryRun: true }),
    gcTime: 0,
  })
  const send = useMutation({ mutationFn: () => sendAgain(issue, base) })
  return (
    <Dialog title="Send again" close={close}>
      {send.data !== undefined ? (
        <Sent retryId={send.data.retryId} base={base} />
      ) : (
        <Answer of={dry}>
          {({ count, money, notTaken }) => (
            <>
              <p>
                <strong>{count}</strong> would be sent again
                {money.length > 0 && `: ${owedText(money)}`}. Nothing has been sent yet.
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
      {send.error !== null && <Refusal>Not sent: {send.error.message}.</Refusal>}
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

/** Lines whose outcome is followed, and milliseconds between two looks. */
const FOLLOWED = 20
const LOOK_MS = 700

function Sent({ retryId, base }: { retryId: string; base: string }) {
  const asked = useQuery({
    queryKey: ['retry', retryId],
    queryFn: ({ signal }) => read<Followed>(`${base}/deliveries/retries/${part(retryId)}?limit=${FOLLOWED}`, signal),
    gcTime: 0,
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? LOOK_MS : false),
    refetchIntervalInBackground: true, // of one's own doing, also while the rest is paused
  })
  return (
    <Answer of={asked}>
      {(retry) => (
        <>
          <p role="status">
            <strong>
              {retry.taken} of {retry.count}
            </strong>{' '}
            sent again{retry.state === 'finished' && retry.taken === retry.count ? '.' : SAYS[retry.state]}
          </p>
          <ul className="outcomes" aria-label="What came of each">
            {retry.data.map(({ deliveryId, betId, status, code }) => (
              <li key={deliveryId}>
                <Link href={`/bets/${part(betId)}`}>
                  <ShortId id={betId} />
                </Link>
                <DeliveryState status={status} code={code} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Answer>
  )
}

const SAYS: Readonly<Record<Retry['state'], string>> = {
  running: ', and it goes on.',
  finished: '. What is missing was changed by somebody else meanwhile.',
  cut_short: '. Then it was cut short: send the others again.',
}

function isUnderWay({ state, states }: Followed): boolean {
  return state === 'running' || (states.pending ?? 0) + (states.waiting ?? 0) > 0
}
