/** Every history of one bet up to four steps, and faults planted in the rules that the search must find. */
import { describe, expect, test } from 'vitest'
import { search } from '../../src/simulate/one-bet/search.ts'
import { type Answered, happen, type State, tell, timeOf } from '../../src/simulate/one-bet/world.ts'

const LENGTH = 4

describe('every history of one bet', () => {
  test.each(['refuse', 'allow-negative'] as const)('with clawback %s is what the decisions say', (clawback) => {
    const { found, histories, met } = search({ length: LENGTH, clawback })
    expect(found).toBe(undefined)
    expect(histories).toBeGreaterThan(10_000)
    const answers = ['200', '400/4', '400/5', '400/7', '400/8', '400/20']
    expect([...met.keys()].sort()).toEqual([...answers, ...(clawback === 'refuse' ? ['400/21'] : [])].sort())
  })
})

type Tell = typeof tell

/** The rules with a fault: another state goes in, or another answer comes out. */
const seeing =
  (change: (state: State) => State): Tell =>
  (state, ...others) =>
    tell(change(state), ...others)
const saying =
  (change: (answered: Answered, moment: number) => Answered): Tell =>
  (state, call, moment, rules) =>
    change(tell(state, call, moment, rules), moment)

function withRecord(state: State, over: Partial<NonNullable<State['record']>>): State {
  return state.record === undefined ? state : { ...state, record: { ...state.record, ...over } }
}

const FAULTS: [fault: string, tell: Tell, story: string[]][] = [
  ['a late copy is not known', seeing((state) => ({ ...state, seen: [] })), ['place other', 'place', 'place with PUT']],
  [
    'a rollback leaves no tombstone',
    saying(({ outcome, state }) =>
      state.record?.bet.kind === 'cancelled' && state.record.bet.placement === undefined
        ? { outcome, state: { ...state, record: undefined } }
        : { outcome, state },
    ),
    ['rollback'],
  ],
  [
    'the lock is not looked at',
    seeing((state) => withRecord(state, { locked: false })),
    ['place', 'settle 25', '(lock)', 'settle 0'],
  ],
  [
    'a repeat has the time of the repeat',
    saying(({ outcome, state }, moment) => ({
      outcome: outcome.kind === 'accepted' ? { ...outcome, at: timeOf(moment) } : outcome,
      state,
    })),
    ['place', 'place'],
  ],
  ['an ended token is live', seeing((state) => ({ ...state, live: true })), ['(token)', 'place']],
  [
    'the Place bet is not remembered by its requestId',
    seeing((state) => withRecord(state, { placeRequestId: null })),
    ['place', 'place with PUT'],
  ],
  [
    'a refused Place bet is judged anew',
    seeing((state) => (state.record?.bet.kind === 'refused' ? { ...state, record: undefined } : state)),
    ['(money)', 'place', 'settle 25'],
  ],
  [
    'money that is gone is there',
    seeing((state) => (state.account.balance > 0n ? state : happen(state, 'money'))),
    ['(money)', 'place'],
  ],
]

describe('the search finds', () => {
  test.each(FAULTS)('%s', (_fault, faulty, story) => {
    const { found } = search({ length: LENGTH, clawback: 'refuse', tell: faulty })
    expect(found?.story).toEqual(story)
  })
})
