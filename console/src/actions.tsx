/** What was changed through an API, and by whom (O-4), as lists show it. */
import type { ReactNode } from 'react'
import { amountText, capital, Time } from './format.tsx'
import type { Column } from './list.tsx'
import { NONE } from './parts.tsx'
import './actions.css'

export interface Action {
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

/** Who did what, on whom, and why. What the list says already is not among the members. */
export const ACTIONS: readonly Column<Action>[] = [
  { name: 'Time', show: ({ at }) => <Time at={at} /> },
  { name: 'Who', show: ({ person, key }) => <span className="cut">{person ?? key.name}</span> },
  { name: 'What', show: ({ operation }) => <span className="num">{capital(wordsOf(operation))}</span> },
  { name: 'On', show: ({ on }) => <span className="cut">{Object.values(on).join(' · ')}</span> },
  {
    name: 'Now',
    show: ({ after, on }) => (
      <ul className="members">
        {membersOf(after)
          .filter(([name, value]) => name !== 'createdAt' && value !== on[name])
          .map(([name, value]) => (
            <li key={name}>
              <span className="muted">{memberWords(name)}</span> <Value of={value} isAmount={AMOUNT.test(name)} />
            </li>
          ))}
      </ul>
    ),
  },
  { name: 'Why', show: ({ reason }) => reason ?? NONE },
]

export const keyOfAction = ({ requestId, on }: Action) => `${requestId} ${JSON.stringify(on)}`

/** Member by member, so that nothing is cut off: `limits.stake`, and its value. An object without members says nothing. */
function membersOf(value: object, before = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
    const isDeep = typeof one === 'object' && one !== null && !Array.isArray(one)
    return isDeep ? membersOf(one, `${before}${name}.`) : [[`${before}${name}`, one] as [string, unknown]]
  })
}

/** The last part of a member's name says that it is an amount, or a limit of amounts. */
const AMOUNT = /(^|\.)(amount|balance|stake|loss)$/

function Value({ of: value, isAmount }: { of: unknown; isAmount: boolean }): ReactNode {
  if (typeof value === 'string' && TIME.test(value)) return <Time at={value} withDay />
  if (typeof value === 'string' && isAmount) return amountText(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === FOLDED) return 'folded'
  if (Array.isArray(value)) return value.map(String).join(', ')
  return value === null ? 'none' : String(value)
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** As the log of actions writes personal data. */
const FOLDED = '***'

/** `limits.betCount`: limits: bet count. */
function memberWords(name: string): string {
  return name
    .replace(/^customFields\./, '')
    .replace(/^is(?=[A-Z])/, '')
    .split('.')
    .map((part) => wordsOf(part).trim())
    .join(': ')
}

/** makeConsolePerson: make console person. */
export function wordsOf(operation: string): string {
  return operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
