/** What can be done with a call once more: send its delivery again, say that it is done, and send its bytes from a terminal. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { OPERATIONS } from '../../../../src/protocol/operation.ts'
import { encodePathSegment } from '../../../../src/protocol/path-segment.ts'
import { formatCurlCommand } from '../../../../src/runtime/curl-command.ts'
import type { TimelineCall } from '../../../../src/timeline/timeline-moments.ts'
import { callApi } from '../../console-api.ts'
import { hasRole, useSession } from '../../console-session.tsx'
import { ActionError, CodeBlock } from '../../page-states.tsx'

/**
 * Of a delivery that waits for a person (C-4, W-16); of any other one the platform refuses it. Its schedule begins anew there; the wallet books
 * the same request once.
 */
export function RetryCall({ call: { delivery } }: { call: TimelineCall }) {
  const { bases, person } = useSession()
  const client = useQueryClient()
  const send = useMutation({
    mutationFn: (id: string) => callApi('POST', `${bases.platform}/deliveries/${encodePathSegment(id)}/retry`),
    onSettled: () => void client.invalidateQueries({ queryKey: ['bet'] }),
  })
  if (bases.platform === undefined || delivery === undefined) return null
  if (send.isSuccess) return <p role="status">It is sent again now.</p>
  if (delivery.operation === 'place' && delivery.status === 'refused')
    return <p className="muted small">The bet is declined, and that is final: a new bet is another call.</p>
  if (delivery.status === 'done' && delivery.error !== undefined && delivery.code === undefined)
    return <p role="status">{delivery.error}</p> // by a person (W-47); to a partner's own yes there is nothing to say
  if (delivery.needsPersonSince === undefined || delivery.status === 'pending') return null
  const isAllowed = hasRole(person, 'support')
  return (
    <div className="send-again">
      <button
        type="button"
        className="button"
        disabled={!isAllowed || send.isPending}
        onClick={() => send.mutate(delivery.deliveryId)}
      >
        {send.isPending ? 'Sending…' : 'Send again'}
      </button>
      <p className="muted small">
        {isAllowed
          ? 'The same bytes, the same request id: a partner that has booked it answers the same and books nothing.'
          : 'That needs the role support.'}
      </p>
      {send.error !== null && <ActionError>Not sent: {send.error.message}.</ActionError>}
      {hasRole(person, 'admin') && <AcknowledgeDelivery deliveryId={delivery.deliveryId} base={bases.platform} />}
    </div>
  )
}

/** Nothing is sent then, and nothing is owed by it any more (W-47): it is asked how that is known. */
function AcknowledgeDelivery({ deliveryId, base }: { deliveryId: string; base: string }) {
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const acknowledge = useMutation({
    mutationFn: () =>
      callApi('POST', `${base}/deliveries/${encodePathSegment(deliveryId)}/acknowledge`, { reason: reason.trim() }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['bet'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    acknowledge.mutate()
  }
  return (
    <details className="as-curl">
      <summary>The partner has done it already…</summary>
      <form className="say-done" onSubmit={submit}>
        <p className="muted small">
          It paid by hand, or its books show it. Nothing is sent then, and this call needs nobody any more.
        </p>
        <label>
          How this is known
          <input value={reason} maxLength={500} onChange={({ target }) => setReason(target.value)} />
        </label>
        <button type="submit" className="button" disabled={reason.trim() === '' || acknowledge.isPending}>
          It is done
        </button>
        {acknowledge.error !== null && <ActionError>Not taken: {acknowledge.error.message}.</ActionError>}
      </form>
    </details>
  )
}

/** The journal keeps no signature, and of a token only how it begins: who has both can send the call. */
export function CurlCommand({ call: { operation, journal } }: { call: TimelineCall }) {
  if (journal === undefined || operation === 'other') return null
  const { method, path } = OPERATIONS[operation]
  const request = {
    ...{ method, url: location.origin + path },
    ...{ headers: { 'content-type': 'application/json' }, body: journal.request.body },
  }
  return (
    <details className="as-curl">
      <summary>As curl</summary>
      <CodeBlock name="As curl">{formatCurlCommand(request, { 'x-sign-jws': 'SIGNATURE' })}</CodeBlock>
      <p className="muted small">
        The journal keeps no signature, and of a token only how it begins. Put the token in, sign the body as it stands
        then, and set SIGNATURE.
      </p>
    </details>
  )
}
