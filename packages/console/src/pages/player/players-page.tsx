/**
 * List of players, with a search by the beginning of an id or nickname, or by a whole e-mail
 * address.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import type { FormEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import { encodeQueryPart } from '../../app/console-api.ts'
import { Time } from '../../shared/charts/format.tsx'
import { Badge, DASH, EmptyState } from '../../shared/controls/page-states.tsx'
import { type ListColumn, PagedList } from '../../shared/controls/paged-list.tsx'

interface PlayerRow {
  readonly userId: string
  readonly currency: string
  readonly status?: string
  readonly brand?: string
  readonly createdAt?: string
  readonly customFields?: { readonly nickname?: string }
}

export function PlayersPage() {
  const [query, setQuery] = useSearchParams()
  const text = query.get('q') ?? ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const next = String(new FormData(event.currentTarget).get('q') ?? '').trim()
    setQuery(next === '' ? {} : { q: next })
  }
  return (
    <div className="page">
      <div className="head">
        <h1>Players</h1>
      </div>
      <form className="filters" onSubmit={submit} key={text}>
        <label>
          <span className="vh">Search players</span>
          <input
            name="q"
            defaultValue={text}
            placeholder="Beginning of an ID or nickname, or a whole e-mail address"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
      </form>
      <section className="card" aria-label="Players">
        <PagedList
          path={`/operator/players?limit=50${text === '' ? '' : `&q=${encodeQueryPart(text)}`}`}
          columns={COLUMNS}
          keyOf={({ userId }: PlayerRow) => userId}
          linkOf={({ userId }) => `/players/${encodePathSegment(userId)}`}
          empty={
            text === '' ? (
              <EmptyState title="No players yet.">
                <p>Your site creates a player at sign-up. Existing players can be imported.</p>
              </EmptyState>
            ) : (
              <EmptyState title="No matching players.">
                <p>IDs and nicknames match by their beginning, e-mail addresses as a whole.</p>
              </EmptyState>
            )
          }
        />
      </section>
    </div>
  )
}

const COLUMNS: readonly ListColumn<PlayerRow>[] = [
  {
    name: 'Player',
    show: ({ userId }) => (
      <Link className="name" href={`/players/${encodePathSegment(userId)}`}>
        {userId}
      </Link>
    ),
  },
  { name: 'Nickname', show: ({ customFields }) => <span className="name">{customFields?.nickname ?? DASH}</span> },
  {
    name: 'Status',
    show: ({ status }) =>
      status === 'blocked' ? <Badge tone="bad">Blocked</Badge> : <Badge tone="good">Active</Badge>,
  },
  { name: 'Currency', show: ({ currency }) => currency },
  { name: 'Brand', show: ({ brand }) => <span className="name">{brand ?? DASH}</span> },
  {
    name: 'Created',
    isNumber: true,
    show: ({ createdAt }) => (createdAt === undefined ? '' : <Time at={createdAt} withDay />),
  },
]
