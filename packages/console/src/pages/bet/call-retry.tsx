/** Actions on a call: retry its delivery, mark it as acknowledged, or send it with curl. */

import { OPERATIONS } from '@purser/protocol/operation'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatCurlCommand } from '@purser/runtime/text/curl-command'
import type { TimelineCall } from '@purser/timeline/drawing/timeline-moments'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callApi } from '../../app/console-api.ts'
import { hasRole, useSession } from '../../app/console-session.tsx'
import { ActionError, CodeBlock } from '../../shared/controls/page-states.tsx'

/**
 * A retry is possible for a stuck or rejected delivery (C-4, W-16). It starts a new schedule, and
 * the wallet books the repeated request once.
 */
export function RetryCall({ call: { delivery } }: { call: TimelineCall }) {
  const { bases, person } = useSession()
  const client = useQueryClient()
  const send = useMutation({
    mutationFn: (id: string) => callApi('POST', `${bases.platform}/deliveries/${encodePathSegment(id)}/retry`),
    onSettled: () => void client.invalidateQueries({ queryKey: ['bet'] }),
  })
  if (bases.platform === undefined || delivery === undefined) return null
  if (send.isSuccess) return <p role="status">The retry was started.</p>
  if (delivery.operation === 'place' && delivery.status === 'refused')
    return <p className="muted small">The bet was declined, which is final. Another attempt needs a new bet.</p>
  if (delivery.status === 'done' && delivery.error !== undefined && delivery.code === undefined)
    // only a manual acknowledgement has this text (W-47)
    return <p role="status">{delivery.error}</p>
  if (delivery.needsAttentionSince === undefined || delivery.status === 'pending') return null
  const isAllowed = hasRole(person, 'support')
  return (
    <div className="send-again">
      <button
        type="button"
        className="button"
        disabled={!isAllowed || send.isPending}
        onClick={() => send.mutate(delivery.deliveryId)}
      >
        {send.isPending ? 'Sending…' : 'Retry'}
      </button>
      <p className="muted small">
        {isAllowed
          ? 'A retry sends the same request with the same request ID. A partner that has already processed it moves no money.'
          : 'This requires the role Support.'}
      </p>
      {send.error !== null && <ActionError>The retry failed: {send.error.message}.</ActionError>}
      {hasRole(person, 'admin') && <AcknowledgeDelivery deliveryId={delivery.deliveryId} base={bases.platform} />}
    </div>
  )
}

/**
 * A manual acknowledgement sends no call, and afterwards the partner is owed no call (W-47).
 * Therefore it needs a reason.
 */
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
      <summary>Mark as acknowledged…</summary>
      <form className="say-done" onSubmit={submit}>
        <p className="muted small">
          Use this if the partner paid by hand or its records already show the change. Purser then sends nothing more.
        </p>
        <label>
          Reason
          <input value={reason} maxLength={500} onChange={({ target }) => setReason(target.value)} />
        </label>
        <button type="submit" className="button" disabled={reason.trim() === '' || acknowledge.isPending}>
          Mark as acknowledged
        </button>
        {acknowledge.error !== null && (
          <ActionError>The delivery was not marked: {acknowledge.error.message}.</ActionError>
        )}
      </form>
    </details>
  )
}

/**
 * The journal has no signature, and only the start of a token, because both together would allow a
 * replay.
 */
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
        The journal stores no signature, and only the beginning of a token. Insert the token, sign the resulting body,
        and set SIGNATURE.
      </p>
    </details>
  )
}
