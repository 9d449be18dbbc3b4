/** What can be done with a call once more: send its delivery again, say that it is done, and send its bytes from a terminal. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { OPERATIONS } from '../../../../src/protocol/operation.ts'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import { curlOf } from '../../../../src/runtime/curl.ts'
import type { Call } from '../../../../src/timeline/moments.ts'
import { ask } from '../../api.ts'
import { Code, Refusal } from '../../parts.tsx'
import { mayDo, useSession } from '../../session.tsx'

/**
 * Of a delivery that waits for a person (C-4, W-16); of any other one the platform refuses it. Its schedule begins anew there; the wallet books
 * the same request once.
 */
export function SendAgain({ call: { delivery } }: { call: Call }) {
  const { bases, person } = useSession()
  const client = useQueryClient()
  const send = useMutation({
    mutationFn: (id: string) => ask('POST', `${bases.platform}/deliveries/${pathPart(id)}/retry`),
    onSettled: () => void client.invalidateQueries({ queryKey: ['bet'] }),
  })
  if (bases.platform === undefined || delivery === undefined) return null
  if (send.isSuccess) return <p role="status">It is sent again now.</p>
  if (delivery.operation === 'place' && delivery.status === 'refused')
    return <p className="muted small">The bet is declined, and that is final: a new bet is another call.</p>
  if (delivery.status === 'done' && delivery.error !== undefined && delivery.code === undefined)
    return <p role="status">{delivery.error}</p> // by a person (W-47); to a partner's own yes there is nothing to say
  if (delivery.needsPersonSince === undefined || delivery.status === 'pending') return null
  const isAllowed = mayDo(person, 'support')
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
      {send.error !== null && <Refusal>Not sent: {send.error.message}.</Refusal>}
      {mayDo(person, 'admin') && <SayDone deliveryId={delivery.deliveryId} base={bases.platform} />}
    </div>
  )
}

/** Nothing is sent then, and nothing is owed by it any more (W-47): it is asked how that is known. */
function SayDone({ deliveryId, base }: { deliveryId: string; base: string }) {
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const say = useMutation({
    mutationFn: () => ask('POST', `${base}/deliveries/${pathPart(deliveryId)}/acknowledge`, { reason: reason.trim() }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['bet'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    say.mutate()
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
        <button type="submit" className="button" disabled={reason.trim() === '' || say.isPending}>
          It is done
        </button>
        {say.error !== null && <Refusal>Not taken: {say.error.message}.</Refusal>}
      </form>
    </details>
  )
}

/** The journal keeps no signature, and of a token only how it begins: who has both can send the call. */
export function AsCurl({ call: { operation, journal } }: { call: Call }) {
  if (journal === undefined || operation === 'other') return null
  const { method, path } = OPERATIONS[operation]
  const request = {
    ...{ method, url: location.origin + path },
    ...{ headers: { 'content-type': 'application/json' }, body: journal.request.body },
  }
  return (
    <details className="as-curl">
      <summary>As curl</summary>
      <Code name="As curl">{curlOf(request, { 'x-sign-jws': 'SIGNATURE' })}</Code>
      <p className="muted small">
        The journal keeps no signature, and of a token only how it begins. Put the token in, sign the body as it stands
        then, and set SIGNATURE.
      </p>
    </details>
  )
}
