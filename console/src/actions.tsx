/** What was changed through an API, and by whom (O-4), as lists show it. */
import type { ReactNode } from 'react'
import { amountText, capital, Time } from './format.tsx'
import type { Column } from './list.tsx'
import { NONE } from './parts.tsx'
import { nameOf } from './session.tsx'
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
  { name: 'Who', show: ({ person, key }) => <span className="cut">{nameOf({ name: person ?? key.name })}</span> },
  { name: 'What', show: ({ operation }) => <span className="num">{capital(wordsOf(operation))}</span> },
  { name: 'On', show: ({ on }) => <span className="about">{Object.values(on).join(' · ')}</span> },
  {
    name: 'Now',
    show: ({ after, on }) => (
      <ul className="members">
        {membersOf(after)
          .filter(({ name, value }) => name !== 'createdAt' && value !== on[name])
          .map(({ name, words, value }) => (
            <li key={name}>
              <span className="muted">{words}</span> <Value of={value} member={name} />
            </li>
          ))}
      </ul>
    ),
  },
  { name: 'Why', show: ({ reason }) => reason ?? NONE },
]

export const keyOfAction = ({ requestId, on }: Action) => `${requestId} ${JSON.stringify(on)}`

interface Member {
  /** `limits.stake` */
  readonly name: string
  /** `limits: stake` */
  readonly words: string
  readonly value: unknown
}

/** What is in them others have named: an operator its own fields, a result its outcome. */
const NAMED_BY_OTHERS = ['odds', 'results', 'customFields']
const OURS = /^[a-z]+([A-Z][a-z]+)*$/

/** Member by member, so that nothing is cut off. */
function membersOf(value: object, of = { name: '', words: '', isOthers: false }): Member[] {
  return Object.entries(value).flatMap(([part, one]: [string, unknown]) => {
    const isOurs = !of.isOthers && OURS.test(part)
    const [name, words] = [
      `${of.name}${part}`,
      `${of.words}${isOurs ? wordsOf(part.replace(/^is(?=[A-Z])/, '')).trim() : part}`,
    ]
    const isDeep = typeof one === 'object' && one !== null && !Array.isArray(one) && Object.keys(one).length > 0
    if (!isDeep) return [{ name, words, value: one }]
    const isOthers = of.isOthers || NAMED_BY_OTHERS.includes(part)
    return membersOf(one, { name: `${name}.`, words: part === 'customFields' ? '' : `${words}: `, isOthers })
  })
}

/** The last part of a member's name says that it is an amount, or a limit of amounts. */
const AMOUNT = /(^|\.)(amount|balance|stake|loss)$/

function Value({ of: value, member }: { of: unknown; member: string }): ReactNode {
  if (typeof value === 'string' && TIME.test(value)) return <Time at={value} withDay />
  if (typeof value === 'string' && AMOUNT.test(member)) return amountText(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === FOLDED) return 'folded'
  if (typeof value === 'number' && member.startsWith('limits.')) return value.toLocaleString('en')
  if (Array.isArray(value) && value.length > 0) return value.map(String).join(', ')
  if (Array.isArray(value) && member === 'events') return 'all'
  return value === null || typeof value === 'object' ? 'none' : String(value)
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** As the log of actions writes personal data. */
const FOLDED = '***'

/** makeConsolePerson: make console person. */
export function wordsOf(operation: string): string {
  return operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
