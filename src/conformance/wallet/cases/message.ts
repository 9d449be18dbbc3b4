/** Malformed and misaddressed calls (part A, K4, K6): refused with a body, and nothing moves. */
import type { PlayedCase } from '../case.ts'
import { written } from '../json-text.ts'
import { accept, place, refuse } from '../words.ts'

const BROKEN = ['', '{', '[]', '"text"', 'null', '{"type":1,}']
const NO_AMOUNTS = ['-500', '"100"', '"NaN"', 'true', 'null', '1e308', '1e-9']
const NO_TYPES = ['2', '3', '4', '0', '"1"', 'null']

export const MESSAGE_CASES: readonly PlayedCase[] = [
  {
    id: 'message-01',
    clause: 'Errors; R-1',
    level: 'MUST',
    sentence: 'a body that is no JSON object is refused with 400, never with a failure',
    loses: 'nothing: but the service takes a 5xx for an unknown outcome and sends Rollbacks',
    covers: ['A12'],
    steps: BROKEN.map((raw) => place({ raw }, refuse())),
  },
  {
    id: 'message-02',
    clause: 'Place bet, partner action 1',
    level: 'MUST',
    sentence: 'POST with another type than 1 is not a bet, and pays nothing out',
    loses: 'whoever looks at the type alone settles bets that nobody settled: the operator pays',
    covers: ['A10', 'A13', 'K6'],
    steps: NO_TYPES.map((type) => place({ members: { type: written(type) } }, refuse())),
  },
  {
    id: 'message-03',
    clause: 'Endpoints',
    level: 'SHOULD',
    sentence: 'methods that the interface does not have are 404, 405 or 400',
    loses: 'nothing, as long as no money moves',
    covers: ['A10'],
    steps: ['GET', 'DELETE', 'PATCH'].map((method) => place({ method, raw: '' }, refuse())),
  },
  {
    id: 'message-04',
    clause: 'Resources, amount; M-1',
    level: 'MUST',
    sentence: 'an amount that is none is refused',
    loses: 'a negative stake is money for the player: the operator pays',
    covers: ['C32', 'C33', 'K4'],
    steps: NO_AMOUNTS.map((amount) => place({ members: { amount: written(amount) } }, refuse())),
  },
  {
    id: 'message-05',
    clause: 'Resources, transactionId; I-7',
    level: 'MUST',
    sentence: 'a bet without an id is refused',
    loses: 'a debit that no Rollback can name: the player loses the stake',
    covers: ['C42', 'C43'],
    steps: [
      place({ members: { transactionId: undefined } }, refuse()),
      place({ members: { transactionId: '' } }, refuse()),
    ],
  },
  {
    id: 'message-06',
    clause: 'R-8',
    level: 'SHOULD',
    sentence: 'a long text is accepted or refused with 400',
    loses: 'nothing: but every failure is a Rollback',
    covers: ['C45'],
    steps: [place({ members: { info: 'a'.repeat(20_000) } }, [accept('debit'), refuse()])],
  },
]
