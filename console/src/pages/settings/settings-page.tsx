/** Who may use this server: people, keys, and what they did. Each may change the own password. */

import { encodePathSegment } from '../../../../src/protocol/path-segment.ts'
import { AUDIT_COLUMNS, auditEntryKey } from '../../audit-log.tsx'
import { displayName, hasRole, useSession } from '../../console-session.tsx'
import { EmptyState } from '../../page-states.tsx'
import { PagedList } from '../../paged-list.tsx'
import { Holders } from './credential-holders.tsx'
import { OwnPassword } from './password-form.tsx'
import { Webhooks } from './webhooks-card.tsx'
import './settings.css'

export function SettingsPage() {
  const { bases, person } = useSession()
  const base = bases.wallet ? '/operator' : (bases.platform ?? '')
  const isAdmin = hasRole(person, 'admin')
  return (
    <div className="page wide">
      <div className="head">
        <h1>Settings</h1>
        <p className="muted">
          Signed in as <span title={person.name}>{displayName(person)}</span>, with the role {person.role}.
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
          renew={(name) => ['POST', `/console/api/people/${encodePathSegment(name)}/password`, 'New password']}
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
          renew={(name) => ['POST', `${base}/keys/${encodePathSegment(name)}/rotate`, 'Rotate']}
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
        <PagedList
          path={`${base}/actions?limit=20`}
          columns={AUDIT_COLUMNS}
          keyOf={auditEntryKey}
          empty={<EmptyState title="Nothing has been changed yet." />}
        />
      </section>
    </div>
  )
}
