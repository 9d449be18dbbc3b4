/** Faults of a gateway: in what it reads and writes, and in what it says for its operators. */

import { REPLY_CODES } from '../../../protocol/codes.ts'
import type { Answer } from '../network.ts'
import { done, losing } from '../planting.ts'
import { altered, forgetting } from '../planting-sql.ts'
import { below, inFrontOf, type Row } from './row.ts'

const REFUSES_CALLER: Answer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.bad_signature)) }

export const GATEWAY: readonly Row[] = [
  [
    'the gateway sends calls to another operator',
    'G-1',
    1,
    below(
      'gateway',
      altered('gateway_read_player', (row) => ({ ...row, operator_id: 'wallet' })),
    ),
  ],
  [
    'the gateway forgets its players when it begins again',
    'G-3',
    3,
    below('gateway', forgetting('gateway_read_player')),
  ],
  [
    'the gateway forgets its tokens when it begins again',
    'G-2',
    3,
    below('gateway', forgetting('gateway_read_session')),
  ],
  ['the gateway loses a commit', 'G-3', 1, below('gateway', losing(3))],
  [
    'the gateway answers code 1 to a Rollback that fails',
    'D-7',
    1,
    inFrontOf('gateway', {
      answer: ({ kind, code }, answer) => (kind === 'rollback' && code === 0 ? REFUSES_CALLER : answer),
    }),
  ],
  [
    'the gateway says yes for an operator that says nothing',
    'G-5',
    1,
    inFrontOf('gateway', {
      answer: ({ kind, code }, answer, said) => (kind !== 'place' && code === 0 ? done(said) : answer),
    }),
  ],
]
