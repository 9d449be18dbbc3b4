/** Who may use this server: people, keys, and what they did. Each may change the own password. */

import { pathPart } from '../../../../src/protocol/path-part.ts'
import { ACTIONS, keyOfAction } from '../../actions.tsx'
import { List } from '../../list.tsx'
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
          renew={(name) => ['POST', `/console/api/people/${pathPart(name)}/password`, 'New password']}
          ended="They are signed out, and cannot sign in any more."
        />
      )}
      {isAdmin && (
        <Holders
          title="Keys"
          empty="There is only the first key, with which the server was started."
          hint="Make one for each program and person: who did what is then in Actions, and each can be ended alone."
          list={`${base}/keys`}
          shownOnce="key"
          renew={(name) => ['POST', `${base}/keys/${pathPart(name)}/rotate`, 'Rotate']}
          ended="Whatever still calls with it is refused from then on."
          scopeKind={bases.wallet ? 'brand' : 'partner'}
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
          keyOf={keyOfAction}
          empty={<Empty title="Nothing has been changed yet." />}
        />
      </section>
    </div>
  )
}
