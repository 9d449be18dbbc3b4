/** Who may use this server: people, keys, and what they did. Each may change the own password. */
import { part } from '../../api.ts'
import { capital, Time } from '../../format.tsx'
import { type Column, List } from '../../list.tsx'
import { Empty } from '../../parts.tsx'
import { mayDo, nameOf, useSession } from '../../session.tsx'
import { Holders } from './holders.tsx'
import { OwnPassword } from './password.tsx'
import { Webhooks } from './webhooks.tsx'
import './settings.css'

export function SettingsPage() {
  const { bases, person } = useSession()
  const base = bases.wallet ? '/operator' : (bases.platform ?? '')
  const isAdmin = mayDo(person, 'admin')
  return (
    <div className="page wide">
      <div className="head">
        <h1>Settings</h1>
        <p className="muted">
          Signed in as <span title={person.name}>{nameOf(person)}</span>, with the role {person.role}.
        </p>
      </div>
      {person.isPerson && <OwnPassword />}
      {isAdmin && (
        <Holders
          title="People"
          empty="Nobody signs in by name yet."
          hint="Give somebody a name and a role below: the password is shown once."
          list="/console/api/people"
          shownOnce="password"
          renew={(name) => ['POST', `/console/api/people/${part(name)}/password`, 'New password']}
        />
      )}
      {isAdmin && (
        <Holders
          title="Keys"
          empty="There is only the key of the environment."
          hint="Make one for each program and person: who did what is then in Actions, and each can be ended alone."
          list={`${base}/keys`}
          shownOnce="key"
          renew={(name) => ['POST', `${base}/keys/${part(name)}/rotate`, 'Rotate']}
        />
      )}
      {isAdmin && bases.wallet && <Webhooks />}
      <section className="card" aria-label="Actions">
        <header>
          <h2>Actions</h2>
          <span className="muted small">Who changed what, newest first.</span>
        </header>
        <List
          path={`${base}/actions?limit=20`}
          columns={ACTIONS}
          keyOf={({ requestId, on }) => `${requestId} ${JSON.stringify(on)}`}
          empty={<Empty title="Nothing has been changed yet." />}
        />
      </section>
    </div>
  )
}

interface Action {
  readonly at: string
  readonly operation: string
  readonly on: Readonly<Record<string, string>>
  readonly key: { readonly name: string }
  readonly person?: string
  readonly reason?: string
  readonly before: object
  readonly after: object
  readonly requestId: string
}

const ACTIONS: readonly Column<Action>[] = [
  { name: 'Time', show: ({ at }) => <Time at={at} /> },
  { name: 'Who', show: ({ person, key }) => <span className="cut">{person ?? key.name}</span> },
  { name: 'What', show: ({ operation }) => <span className="num">{capital(wordsOf(operation))}</span> },
  { name: 'On', show: ({ on }) => <span className="cut">{Object.values(on).join(' · ')}</span> },
  {
    name: 'Now',
    show: ({ after }) => (
      <ul className="members">
        {membersOf(after).map(([name, value]) => (
          <li key={name}>
            <span className="muted">{name}</span> {value}
          </li>
        ))}
      </ul>
    ),
  },
  { name: 'Why', show: ({ reason }) => reason ?? <span className="muted">–</span> },
]

/** Member by member, so that nothing is cut off: `limits.stake`, and its value. */
function membersOf(value: object, before = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
    const isDeep = typeof one === 'object' && one !== null && !Array.isArray(one)
    if (isDeep && Object.keys(one).length > 0) return membersOf(one, `${before}${name}.`)
    return [[`${before}${name}`, Array.isArray(one) ? one.map(textOf).join(', ') : textOf(one)] as [string, string]]
  })
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value === null ? 'none' : String(value)
}

/** makeConsolePerson: make console person. */
function wordsOf(operation: string): string {
  return operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
