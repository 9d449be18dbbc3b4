/** Settings of a server: users, API keys, webhooks, the audit log, and the user's own password. */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { displayName, hasRole, roleTitle, useSession } from '../../app/console-session.tsx'
import { EmptyState } from '../../shared/controls/page-states.tsx'
import { PagedList } from '../../shared/controls/paged-list.tsx'
import { AUDIT_COLUMNS, auditEntryKey } from '../../shared/data/audit-log.tsx'
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
          Signed in as <span title={person.name}>{displayName(person)}</span>, with the role {roleTitle(person.role)}.
        </p>
      </div>
      {person.isPerson && <OwnPassword />}
      {isAdmin && (
        <Holders
          title="Users"
          empty="No users yet."
          hint="Add a user with a name and a role below. The password is shown only once."
          list="/console/api/people"
          shownOnce="password"
          renew={(name) => ['POST', `/console/api/people/${encodePathSegment(name)}/password`, 'New password']}
          ended="The user is signed out and can no longer sign in."
        />
      )}
      {isAdmin && (
        <Holders
          title="API keys"
          empty="Only the root key exists."
          hint="Create an API key for each program and user. The audit log then shows who made each change, and each key can be revoked separately."
          list={`${base}/keys`}
          shownOnce="key"
          renew={(name) => ['POST', `${base}/keys/${encodePathSegment(name)}/rotate`, 'Rotate']}
          ended="Calls with this key are rejected from now on."
          scopeKind={bases.wallet ? 'brand' : 'partner'}
        />
      )}
      {isAdmin && bases.wallet && <Webhooks />}
      <section className="card" aria-label="Audit log">
        <header>
          <h2>Audit log</h2>
          <span className="muted small">Changes by users and API keys, newest first.</span>
        </header>
        <PagedList
          path={`${base}/actions?limit=20`}
          columns={AUDIT_COLUMNS}
          keyOf={auditEntryKey}
          empty={<EmptyState title="No changes yet." />}
        />
      </section>
    </div>
  )
}
