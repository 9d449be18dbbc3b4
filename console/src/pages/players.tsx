/** Players, by the beginning of an id or nickname, or by a whole e-mail address. */

import type { FormEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import { pathPart } from '../../../src/protocol/path-part.ts'
import { part } from '../api.ts'
import { Time } from '../format.tsx'
import { type Column, List } from '../list.tsx'
import { Badge, Empty, NONE } from '../parts.tsx'

interface Listed {
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
          <span className="vh">Find players</span>
          <input
            name="q"
            defaultValue={text}
            placeholder="The beginning of an id or nickname, or a whole e-mail address"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
      </form>
      <section className="card" aria-label="Players">
        <List
          path={`/operator/players?limit=50${text === '' ? '' : `&q=${part(text)}`}`}
          columns={COLUMNS}
          keyOf={({ userId }: Listed) => userId}
          linkOf={({ userId }) => `/players/${pathPart(userId)}`}
          empty={
            text === '' ? (
              <Empty title="No players yet.">
                <p>Your site makes one when somebody signs up; who is there already is imported.</p>
              </Empty>
            ) : (
              <Empty title="Nobody is called so.">
                <p>Id and nickname are compared from their beginning, an e-mail address as a whole.</p>
              </Empty>
            )
          }
        />
      </section>
    </div>
  )
}

const COLUMNS: readonly Column<Listed>[] = [
  {
    name: 'Player',
    show: ({ userId }) => (
      <Link className="name" href={`/players/${pathPart(userId)}`}>
        {userId}
      </Link>
    ),
  },
  { name: 'Nickname', show: ({ customFields }) => <span className="name">{customFields?.nickname ?? NONE}</span> },
  {
    name: 'State',
    show: ({ status }) =>
      status === 'blocked' ? <Badge tone="bad">Blocked</Badge> : <Badge tone="good">Active</Badge>,
  },
  { name: 'Currency', show: ({ currency }) => currency },
  { name: 'Brand', show: ({ brand }) => <span className="name">{brand ?? NONE}</span> },
  {
    name: 'Since',
    isNumber: true,
    show: ({ createdAt }) => (createdAt === undefined ? '' : <Time at={createdAt} withDay />),
  },
]
