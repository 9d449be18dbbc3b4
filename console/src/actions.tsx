/** What was changed through an API, and by whom (O-4), as lists show it. */
import { capital, Time } from './format.tsx'
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

/** Who did what, on whom, and why. */
export const ACTIONS: readonly Column<Action>[] = [
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
  { name: 'Why', show: ({ reason }) => reason ?? NONE },
]

export const keyOfAction = ({ requestId, on }: Action) => `${requestId} ${JSON.stringify(on)}`

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
export function wordsOf(operation: string): string {
  return operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
