/** Optional limits of a new key: rights, scope and expiry. */
import { KEY_RIGHTS } from 'purser/core/http/api/key-rights'
import type { Zone } from '../../shared/charts/chart-times.ts'
import { typedTime, useZone } from '../../shared/charts/format.tsx'

/** The kind of scope that this server's keys can have. */
export type ScopeKind = 'brand' | 'partner'

export function KeyLimits({ scopeKind }: { scopeKind: ScopeKind }) {
  const zone = useZone()
  return (
    <>
      <label className="field">
        <span>Only the {scopeKind} (optional)</span>
        <input name="scope" maxLength={64} spellCheck={false} autoComplete="off" />
      </label>
      <label className="field">
        <span>Expires, {zone === 'utc' ? 'UTC' : 'local time'} (optional)</span>
        <input name="expiresAt" type="datetime-local" />
      </label>
      <fieldset className="checks">
        <legend>Rights (none selected = all of the role)</legend>
        {KEY_RIGHTS.map((right) => (
          <label key={right}>
            <input type="checkbox" name="right" value={right} /> {right}
          </label>
        ))}
      </fieldset>
    </>
  )
}

/** An empty field means no limit. */
export function limitsIn(form: FormData, zone: Zone): object {
  const text = (field: string) => String(form.get(field) ?? '').trim()
  const rights = form.getAll('right').map(String)
  return {
    ...(rights.length > 0 && { rights }),
    ...(text('scope') !== '' && { scope: text('scope') }),
    ...(text('expiresAt') !== '' && { expiresAt: typedTime(zone, text('expiresAt')) }),
  }
}
