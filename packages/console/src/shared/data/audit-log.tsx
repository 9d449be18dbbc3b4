/** Columns of the audit log (O-4): each change through an API, with its user and reason. */
import type { ReactNode } from 'react'
import { displayName } from '../../app/console-session.tsx'
import { amountText, capital, Time } from '../charts/format.tsx'
import { DASH } from '../controls/page-states.tsx'
import type { ListColumn } from '../controls/paged-list.tsx'
import '../controls/actions.css'

export interface AuditEntry {
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

/** The change omits members that other columns show. */
export const AUDIT_COLUMNS: readonly ListColumn<AuditEntry>[] = [
  { name: 'Time', show: ({ at }) => <Time at={at} /> },
  { name: 'User', show: ({ person, key }) => <span className="cut">{displayName({ name: person ?? key.name })}</span> },
  { name: 'Action', show: ({ operation }) => <span className="num">{capital(splitCamelCase(operation))}</span> },
  { name: 'Target', show: ({ on }) => <span className="about">{Object.values(on).join(' · ')}</span> },
  {
    name: 'Change',
    show: ({ after, on }) => (
      <ul className="members">
        {listMembers(after)
          .filter(({ name, value }) => name !== 'createdAt' && value !== on[name])
          .map(({ name, words, value }) => (
            <li key={name}>
              <span className="muted">{words}</span> <Value of={value} member={name} />
            </li>
          ))}
      </ul>
    ),
  },
  { name: 'Reason', show: ({ reason }) => reason ?? DASH },
]

export const auditEntryKey = ({ requestId, on }: AuditEntry) => `${requestId} ${JSON.stringify(on)}`

interface Member {
  /** `limits.stake` */
  readonly name: string
  /** `limits: stake` */
  readonly words: string
  readonly value: unknown
}

/** Others choose the names inside: the operator its fields, a result its outcomes. */
const NAMED_BY_OTHERS = ['odds', 'results', 'customFields']
const OURS = /^[a-z]+([A-Z][a-z]+)*$/

/** The members are flattened, so that none is cut off. */
function listMembers(value: object, of = { name: '', words: '', isOthers: false }): Member[] {
  return Object.entries(value).flatMap(([part, one]: [string, unknown]) => {
    const isOurs = !of.isOthers && OURS.test(part)
    const [name, words] = [
      `${of.name}${part}`,
      `${of.words}${isOurs ? splitCamelCase(part.replace(/^is(?=[A-Z])/, '')).trim() : part}`,
    ]
    const isDeep = typeof one === 'object' && one !== null && !Array.isArray(one) && Object.keys(one).length > 0
    if (!isDeep) return [{ name, words, value: one }]
    const isOthers = of.isOthers || NAMED_BY_OTHERS.includes(part)
    return listMembers(one, { name: `${name}.`, words: part === 'customFields' ? '' : `${words}: `, isOthers })
  })
}

/** Names of members that are amounts or limits of amounts. */
const AMOUNT = /(^|\.)(amount|balance|stake|loss)$/

function Value({ of: value, member }: { of: unknown; member: string }): ReactNode {
  if (typeof value === 'string' && TIME.test(value)) return <Time at={value} withDay />
  if (typeof value === 'string' && AMOUNT.test(member)) return amountText(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === REDACTED) return 'hidden'
  if (typeof value === 'number' && member.startsWith('limits.')) return value.toLocaleString('en')
  if (Array.isArray(value) && value.length > 0) return value.map(String).join(', ')
  if (Array.isArray(value) && member === 'events') return 'all'
  return value === null || typeof value === 'object' ? 'none' : String(value)
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** The audit log's value for hidden personal data. */
const REDACTED = '***'

/** "makeConsolePerson" becomes "make console person". */
export function splitCamelCase(operation: string): string {
  return operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
