/**
 * Personal data of a player, hidden by default. The audit log records each access, and this card
 * lists the accesses (O-15).
 */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { callApi } from '../../app/console-api.ts'
import { hasRole, useSession } from '../../app/console-session.tsx'
import { capital } from '../../shared/charts/format.tsx'
import { ActionError } from '../../shared/controls/page-states.tsx'
import { PagedList } from '../../shared/controls/paged-list.tsx'
import { AUDIT_COLUMNS, type AuditEntry, auditEntryKey, splitCamelCase } from '../../shared/data/audit-log.tsx'

interface Personal {
  readonly birthday?: string
  readonly customFields?: Readonly<Record<string, unknown>>
}

export function PersonalData({ base }: { base: string }) {
  const { person } = useSession()
  const client = useQueryClient()
  const open = useMutation({
    mutationFn: () => callApi<Personal>('POST', `${base}/personal-data`),
    onSuccess: () => client.invalidateQueries({ queryKey: ['list', OPENINGS(base)] }),
    gcTime: 0,
  })
  const isAllowed = hasRole(person, 'support')
  return (
    <section className="card" aria-label="Personal data">
      <header>
        <h2>Personal data</h2>
        <span className="spring" />
        {open.data !== undefined ? (
          <button type="button" className="button" onClick={open.reset}>
            Hide
          </button>
        ) : (
          <button
            type="button"
            className="button"
            disabled={!isAllowed || open.isPending}
            onClick={() => open.mutate()}
          >
            {open.isPending ? 'Loading…' : 'Reveal'}
          </button>
        )}
      </header>
      {open.error !== null && <ActionError>Something went wrong: {open.error.message}.</ActionError>}
      {open.data === undefined ? (
        <p className="folded muted">
          Name, e-mail address, phone and birthday are hidden.{' '}
          {isAllowed ? 'Access is logged.' : 'This requires the role Support.'}
        </p>
      ) : (
        <Fields of={open.data} />
      )}
      <PagedList<AuditEntry>
        path={OPENINGS(base)}
        columns={COLUMNS}
        keyOf={auditEntryKey}
        empty={<p className="folded muted">No access yet.</p>}
      />
    </section>
  )
}

const OPENINGS = (base: string) => `${base}/personal-data?limit=5`

/** Target and action are the same in all rows. */
const COLUMNS = AUDIT_COLUMNS.filter(({ name }) => name !== 'Target' && name !== 'Action').map((column) =>
  column.name === 'Change' ? { ...column, name: 'Fields shown' } : column,
)

function Fields({ of: { birthday, customFields = {} } }: { of: Personal }) {
  const fields = [...(birthday === undefined ? [] : [['birthday', birthday]]), ...Object.entries(customFields)]
  if (fields.length === 0) return <p className="folded muted">No personal data is stored.</p>
  return (
    <dl className="facts body">
      {fields.map(([name, value]) => (
        <div key={String(name)}>
          <dt>{capital(splitCamelCase(String(name)))}</dt>
          <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
