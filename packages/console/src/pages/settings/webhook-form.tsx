/** Forms to create or change a webhook, and to replay its events from a given time. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { callApi } from '../../app/console-api.ts'
import { typedTime, useZone } from '../../shared/charts/format.tsx'
import { Dialog } from '../../shared/controls/dialog.tsx'
import { ActionError } from '../../shared/controls/page-states.tsx'

export interface Webhook {
  readonly webhookId: string
  readonly url: string
  /** Empty for all events. */
  readonly events: readonly string[]
  readonly state: 'ok' | 'failing' | 'warned' | 'disabled'
  readonly failingSince?: string
  readonly disabledAt?: string
  readonly lastError?: string
}

type OnWebhookSaved = (made?: { webhookId?: string; secret?: string }) => void

interface FormProps {
  /** The webhook to change. Absent for a new one. */
  readonly of?: Webhook
  /** Names that already exist. */
  readonly names?: readonly string[]
  readonly eventNames: readonly string[]
  readonly done: OnWebhookSaved
}

export function WebhookForm({ of, names = [], eventNames, done }: FormProps) {
  const save = useMutation({
    mutationFn: ({ name, url, events }: { name: string; url: string; events: string[] }) => {
      if (names.includes(name)) throw new Error(`there is a webhook ${name} already`)
      return callApi<{ webhookId: string; secret?: string }>('PUT', `/operator/webhooks/${encodePathSegment(name)}`, {
        url,
        events,
      })
    },
    onSuccess: (made) => done(made),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (field: string) => String(form.get(field) ?? '').trim()
    save.mutate({ name: of?.webhookId ?? text('name'), url: text('url'), events: form.getAll('event').map(String) })
  }
  return (
    <Dialog title={of === undefined ? 'New webhook' : `Change ${of.webhookId}`} close={() => done()}>
      <form className="hook-form" onSubmit={submit}>
        {of === undefined && (
          <label className="field">
            <span>Name</span>
            <input
              name="name"
              pattern="[A-Za-z0-9._\-]{1,64}"
              title="Letters, digits, . _ -"
              spellCheck={false}
              required
            />
          </label>
        )}
        <label className="field">
          <span>URL</span>
          <input
            name="url"
            type="url"
            defaultValue={of?.url}
            placeholder="https://crm.example/purser"
            maxLength={2_000}
            spellCheck={false}
            required
          />
        </label>
        <fieldset className="checks">
          <legend>Events (none selected = all)</legend>
          {eventNames.map((name) => (
            <label key={name}>
              <input type="checkbox" name="event" value={name} defaultChecked={of?.events.includes(name) ?? false} />{' '}
              {name}
            </label>
          ))}
        </fieldset>
        {save.error !== null && <ActionError>The webhook was not saved: {save.error.message}.</ActionError>}
        <div className="choices">
          <button type="button" className="button" onClick={() => done()}>
            Cancel
          </button>
          <button type="submit" className="button main-one" disabled={save.isPending}>
            {of === undefined ? 'Create' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

export function WebhookReplay({ of, done }: { of: Webhook; done: OnWebhookSaved }) {
  const zone = useZone()
  const replay = useMutation({
    mutationFn: (from: string) =>
      callApi('POST', `/operator/webhooks/${encodePathSegment(of.webhookId)}/replay`, { from }),
    onSuccess: () => done(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('from') ?? '')
    replay.mutate(typedTime(zone, text))
  }
  return (
    <Dialog title={`Replay events to ${of.webhookId}`} close={() => done()}>
      <form className="hook-form" onSubmit={submit}>
        <p className="muted">
          Purser resends all events since this time with their original IDs, so duplicates can be ignored. A disabled
          webhook must also be enabled.
        </p>
        <label className="field">
          <span>Since ({zone === 'utc' ? 'UTC' : 'local time'})</span>
          <input name="from" type="datetime-local" required />
        </label>
        {replay.error !== null && <ActionError>The events were not sent: {replay.error.message}.</ActionError>}
        <div className="choices">
          <button type="button" className="button" onClick={() => done()}>
            Cancel
          </button>
          <button type="submit" className="button main-one" disabled={replay.isPending}>
            Replay
          </button>
        </div>
      </form>
    </Dialog>
  )
}
