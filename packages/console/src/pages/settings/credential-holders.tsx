/**
 * Management of users and API keys: list, create, renew and revoke. A new password or key is shown
 * once.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callApi, getJson, type Person } from '../../app/console-api.ts'
import { roleTitle } from '../../app/console-session.tsx'
import { Time, useZone } from '../../shared/charts/format.tsx'
import { ConfirmDialog } from '../../shared/controls/dialog.tsx'
import { Badge, EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import { KeyLimits, limitsIn, type ScopeKind } from './key-limits.tsx'

interface Holder {
  readonly name: string
  readonly role: Person['role']
  readonly madeAt: string
  readonly live: boolean
  readonly locked?: boolean
  readonly hash?: string
  readonly rights?: readonly string[]
  readonly scope?: string
  readonly endsAt?: string
  readonly lastUsedAt?: string
  readonly mustChange?: boolean
}

interface HoldersProps {
  readonly title: string
  readonly empty: string
  /** The next step for an empty list. */
  readonly hint: string
  /** The path of the list, also for creation and revocation. */
  readonly list: string
  /** The member of the answer that is shown once. */
  readonly shownOnce: 'password' | 'key'
  renew(name: string): readonly [method: string, path: string, word: string]
  /** The effect of a revocation. */
  readonly ended: string
  /** Only for keys. */
  readonly scopeKind?: ScopeKind
}

export function Holders({ title, empty, hint, list, shownOnce, renew, ended, scopeKind }: HoldersProps) {
  const client = useQueryClient()
  const zone = useZone()
  const [once, setOnce] = useState<{ readonly name: string; readonly secret: string }>()
  const [ending, setEnding] = useState<string>()
  const result = useQuery({
    queryKey: ['holders', list],
    queryFn: ({ signal }) => getJson<{ data: Holder[] }>(list, signal),
  })
  const change = useMutation({
    mutationFn: ({ method, path, body }: { method: string; path: string; body?: object }) =>
      callApi<Record<string, string> | undefined>(method, path, body),
    onSuccess: (made) =>
      setOnce(made?.[shownOnce] === undefined ? undefined : { name: made.name ?? '', secret: made[shownOnce] }),
    onSettled: () => void client.invalidateQueries(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const said = new FormData(form)
    const [name, role] = ['name', 'role'].map((field) => String(said.get(field) ?? '').trim())
    const body = { name, role, ...limitsIn(said, zone) }
    change.mutate({ method: 'POST', path: list, body }, { onSuccess: () => form.reset() })
  }
  return (
    <section className="card half" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      {once !== undefined && (
        <div className="once" role="status">
          <p>
            The {shownOnce} of <strong>{once.name}</strong> is shown only once:
          </p>
          <code>{once.secret}</code>
        </div>
      )}
      {change.error !== null && (
        <p className="notice" role="alert">
          Something went wrong: {change.error.message}.
        </p>
      )}
      <QueryResult of={result}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title={empty}>
              <p>{hint}</p>
            </EmptyState>
          ) : (
            <div className="scroll">
              <table className="list">
                <thead>
                  <tr>
                    <th>Name</th>
                    <th>Role</th>
                    <th>Status</th>
                    <th>Created</th>
                    {shownOnce === 'key' && <th>Expires</th>}
                    <th>Last used</th>
                    <th>
                      <span className="vh">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.map((holder) => (
                    <HolderRow
                      key={`${holder.name} ${holder.madeAt}`}
                      holder={holder}
                      hasEnd={shownOnce === 'key'}
                      renew={renew(holder.name)}
                      end={() => setEnding(holder.name)}
                      isBusy={change.isPending}
                      act={(method, path) => change.mutate({ method, path })}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </QueryResult>
      {ending !== undefined && (
        <ConfirmDialog
          title={`${shownOnce === 'key' ? 'Revoke' : 'Deactivate'} ${ending}?`}
          text={ended}
          word={shownOnce === 'key' ? 'Revoke' : 'Deactivate'}
          act={async () => {
            await callApi('DELETE', `${list}/${encodePathSegment(ending)}`)
            setOnce((shown) => (shown?.name === ending ? undefined : shown))
          }}
          done={() => {
            setEnding(undefined)
            change.reset()
            void client.invalidateQueries()
          }}
        />
      )}
      <form className="line-form" onSubmit={submit}>
        <h3>{shownOnce === 'key' ? 'New API key' : 'New user'}</h3>
        <label className="field">
          <span>Name</span>
          <input
            name="name"
            pattern="[a-z0-9][a-z0-9._\-]{0,63}"
            title="Lower-case letters, digits, . _ -"
            spellCheck={false}
            autoComplete="off"
            required
          />
        </label>
        <label className="field">
          <span>Role</span>
          <select name="role" defaultValue="read">
            <option value="read">Viewer: can view, not change</option>
            <option value="support">Support: also players, limits, blocks and retries</option>
            <option value="cash">Cashier: also deposits, withdrawals and adjustments</option>
            <option value="admin">Admin: also users, API keys and webhooks</option>
          </select>
        </label>
        {scopeKind !== undefined && <KeyLimits scopeKind={scopeKind} />}
        <button type="submit" className="button" disabled={change.isPending}>
          {shownOnce === 'key' ? 'Create API key' : 'Add user'}
        </button>
      </form>
    </section>
  )
}

interface RowProps {
  readonly holder: Holder
  readonly hasEnd: boolean
  readonly renew: readonly [string, string, string]
  end(): void
  readonly isBusy: boolean
  act(method: string, path: string): void
}

function HolderRow({
  holder: { name, role, rights, scope, madeAt, live, locked, mustChange, endsAt, lastUsedAt },
  hasEnd,
  renew: [method, path, word],
  end,
  isBusy,
  act,
}: RowProps) {
  const endWord = hasEnd ? 'Revoke' : 'Deactivate'
  return (
    <tr>
      <td>
        <span className="about">{name}</span>
      </td>
      <td>
        {roleTitle(role)}
        {scope !== undefined && <div className="muted small">limited to {scope}</div>}
        {rights !== undefined && <div className="muted small">only {rights.join(', ')}</div>}
      </td>
      <td>
        {!live ? (
          <Badge tone="plain">{hasEnd ? 'Revoked' : 'Deactivated'}</Badge>
        ) : locked ? (
          <Badge tone="wait">Locked</Badge>
        ) : (
          <Badge tone="good">Active</Badge>
        )}
        {live && mustChange && <div className="muted small">initial password not changed yet</div>}
      </td>
      <td>
        <Time at={madeAt} />
      </td>
      {hasEnd && <td>{endsAt === undefined ? <span className="muted">never</span> : <Time at={endsAt} />}</td>}
      <td>{lastUsedAt === undefined ? <span className="muted">unknown</span> : <Time at={lastUsedAt} />}</td>
      <td className="num">
        {live && (
          <span className="choices">
            <button
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => act(method, path)}
              aria-label={`${word}, ${name}`}
            >
              {word}
            </button>
            <button type="button" className="button" disabled={isBusy} onClick={end} aria-label={`${endWord} ${name}`}>
              {endWord}…
            </button>
          </span>
        )}
      </td>
    </tr>
  )
}
