/** Webhooks (W-42): their state, errors and actions. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, getJson } from '../../app/console-api.ts'
import { Time } from '../../shared/charts/format.tsx'
import { ConfirmDialog } from '../../shared/controls/dialog.tsx'
import { ActionError, Badge, EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import { type Webhook, WebhookForm, WebhookReplay } from './webhook-form.tsx'

interface WebhookList {
  readonly data: readonly Webhook[]
  readonly eventNames: readonly string[]
}

const PATH = '/operator/webhooks'
const webhookPath = ({ webhookId }: Webhook) => `${PATH}/${encodePathSegment(webhookId)}`
/** Polled, because the state of a webhook is not in the feed. */
const POLL_MS = 3_000

type OpenDialog =
  | { readonly what: 'new' }
  | { readonly what: 'change' | 'replay' | 'secret' | 'remove'; readonly webhook: Webhook }

export function Webhooks() {
  const client = useQueryClient()
  const [open, setOpen] = useState<OpenDialog>()
  const [once, setOnce] = useState<{ readonly name: string; readonly secret: string }>()
  const result = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => getJson<WebhookList>(PATH, signal),
    refetchInterval: POLL_MS,
  })
  const done = (made?: { webhookId?: string; secret?: string }) => {
    setOpen(undefined)
    if (made?.secret !== undefined) setOnce({ name: made.webhookId ?? '', secret: made.secret })
    void client.invalidateQueries({ queryKey: ['webhooks'] })
  }
  return (
    <section className="card" aria-label="Webhooks">
      <header>
        <h2>Webhooks</h2>
        <span className="muted small">Each webhook URL receives the changes of this wallet.</span>
        <span className="spring" />
        <button type="button" className="button" onClick={() => setOpen({ what: 'new' })}>
          New webhook…
        </button>
      </header>
      {once !== undefined && (
        <div className="once" role="status">
          <p>
            The secret of <strong>{once.name}</strong> is shown only once:
          </p>
          <code>{once.secret}</code>
        </div>
      )}
      <QueryResult of={result}>
        {({ data, eventNames }) => (
          <>
            {data.length === 0 && (
              <EmptyState title="No webhooks yet.">
                <p>A webhook receives each change as a signed POST, at least once, and in order for each player.</p>
              </EmptyState>
            )}
            {data.map((webhook) => (
              <Row key={webhook.webhookId} webhook={webhook} open={(what) => setOpen({ what, webhook })} done={done} />
            ))}
            {open?.what === 'new' && (
              <WebhookForm names={data.map(({ webhookId }) => webhookId)} eventNames={eventNames} done={done} />
            )}
            {open?.what === 'change' && <WebhookForm of={open.webhook} eventNames={eventNames} done={done} />}
            {open?.what === 'replay' && <WebhookReplay of={open.webhook} done={done} />}
            {open?.what === 'secret' && (
              <ConfirmDialog
                title={`Create a new secret for ${open.webhook.webhookId}?`}
                text="Both secrets sign for one day, so that no delivery is rejected meanwhile."
                word="Create secret"
                act={() => callApi('POST', `${webhookPath(open.webhook)}/rotate`)}
                done={done}
              />
            )}
            {open?.what === 'remove' && (
              <ConfirmDialog
                title={`Remove ${open.webhook.webhookId}?`}
                text="The webhook receives no more events, and its secret is deleted."
                word="Remove"
                act={() => callApi('DELETE', webhookPath(open.webhook))}
                done={done}
              />
            )}
          </>
        )}
      </QueryResult>
    </section>
  )
}

const STATES: Readonly<Record<Webhook['state'], readonly [tone: string, word: string]>> = {
  ok: ['good', 'Active'],
  failing: ['wait', 'Failing'],
  warned: ['bad', 'Failing for a day'],
  disabled: ['bad', 'Disabled'],
}

interface RowProps {
  readonly webhook: Webhook
  open(what: 'change' | 'replay' | 'secret' | 'remove'): void
  done(): void
}

function Row({ webhook, open, done }: RowProps) {
  const { webhookId, url, events, state } = webhook
  const [isShown, setShown] = useState(false)
  const test = useMutation({
    mutationFn: () =>
      callApi<{ delivered: boolean; httpStatus?: number; error?: string }>('POST', `${webhookPath(webhook)}/test`),
  })
  const enable = useMutation({
    mutationFn: () => callApi('PUT', webhookPath(webhook), { url, events }),
    onSuccess: done,
  })
  const fault = test.error ?? enable.error
  const [tone, word] = STATES[state]
  return (
    <article className="hook" aria-label={webhookId}>
      <div className="hook-head">
        <h3 className="hook-name">{webhookId}</h3>
        <Badge tone={tone}>{word}</Badge>
        <span className="spring" />
        <span className="choices">
          {state === 'disabled' && (
            <button
              type="button"
              className="button main-one"
              disabled={enable.isPending}
              onClick={() => enable.mutate()}
            >
              Enable
            </button>
          )}
          <button type="button" className="button" disabled={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? 'Sending…' : 'Send a test'}
          </button>
          <button type="button" className="button" onClick={() => open('replay')}>
            Replay…
          </button>
          <button type="button" className="button quiet" onClick={() => open('change')}>
            Change…
          </button>
          <button type="button" className="button quiet" onClick={() => open('secret')}>
            New secret…
          </button>
          <button type="button" className="button quiet" onClick={() => open('remove')}>
            Remove…
          </button>
        </span>
      </div>
      <p className="hook-url">
        <code>{url}</code> <span className="muted small">{events.length === 0 ? 'all events' : events.join(', ')}</span>
      </p>
      <WebhookTrouble of={webhook} />
      {fault !== null && <ActionError>Something went wrong: {fault.message}.</ActionError>}
      {test.data !== undefined && (
        <p role="status" className="small">
          {test.data.delivered
            ? `The test was acknowledged with ${test.data.httpStatus}.`
            : `The test was not acknowledged: ${test.data.error}.`}
        </p>
      )}
      <button
        type="button"
        className="button quiet hook-more"
        aria-expanded={isShown}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? '▾' : '▸'} Last deliveries
      </button>
      {isShown && <Attempts of={webhook} />}
    </article>
  )
}

function WebhookTrouble({ of: { state, lastError, failingSince, disabledAt } }: { of: Webhook }) {
  if (state === 'ok') return null
  return (
    <p className="small hook-trouble">
      {state === 'disabled' ? 'No events are sent' : 'The delivery is retried'}
      {lastError !== undefined && <>: {lastError}</>}.{' '}
      {failingSince !== undefined && (
        <>
          Failing since <Time at={failingSince} />.{' '}
        </>
      )}
      {disabledAt !== undefined && (
        <>
          The webhook will be disabled at <Time at={disabledAt} />.
        </>
      )}
      {state === 'disabled' && 'After you enable it, delivery resumes where it stopped.'}
    </p>
  )
}

interface Attempt {
  readonly at: string
  readonly event: string
  readonly name: string
  readonly durationMs: number
  readonly httpStatus?: number
  readonly error?: string
}

function Attempts({ of }: { of: Webhook }) {
  const result = useQuery({
    queryKey: ['webhooks', of.webhookId, 'attempts'],
    queryFn: ({ signal }) => getJson<{ data: readonly Attempt[] }>(`${webhookPath(of)}/attempts`, signal),
    refetchInterval: POLL_MS,
  })
  return (
    <QueryResult of={result}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No deliveries yet.">
            <p>The next event appears here when it is sent.</p>
          </EmptyState>
        ) : (
          <div className="scroll">
            <table className="list">
              <thead>
                <tr>
                  <th>Time</th>
                  <th>Event</th>
                  <th>Response</th>
                  <th className="num">Duration</th>
                </tr>
              </thead>
              <tbody>
                {data.map(({ at, event, name, durationMs, httpStatus, error }) => (
                  <tr key={`${event} ${at}`}>
                    <td>
                      <Time at={at} />
                    </td>
                    <td>
                      {name} <span className="muted">{event}</span>
                    </td>
                    <td>
                      <Badge tone={error === undefined ? 'good' : 'bad'}>{error ?? `${httpStatus}`}</Badge>
                    </td>
                    <td className="num">{durationMs} ms</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </QueryResult>
  )
}
