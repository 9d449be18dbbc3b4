/** Faults to plant in a gateway: in its reads and writes, and in its answers to the platform. */

import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { loseCommits, toAcknowledgement } from '../faults/fault-planting.ts'
import { alterRows, forgetRows } from '../faults/sql-faults.ts'
import type { NetworkAnswer } from '../network/simulated-network.ts'
import { answerInFrontOf, type PlantedFaultRow, plantBelow } from './planted-fault.ts'

const REFUSES_CALLER: NetworkAnswer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.bad_signature)) }

export const GATEWAY_FAULTS: readonly PlantedFaultRow[] = [
  [
    'the gateway sends calls to another operator',
    'G-1',
    1,
    plantBelow(
      'gateway',
      alterRows('gateway_read_player', (row) => ({ ...row, operator_id: 'wallet' })),
    ),
  ],
  [
    'the gateway forgets its players when it begins again',
    'G-3',
    3,
    plantBelow('gateway', forgetRows('gateway_read_player')),
  ],
  [
    'the gateway forgets its tokens when it begins again',
    'G-2',
    3,
    plantBelow('gateway', forgetRows('gateway_read_session')),
  ],
  ['the gateway loses a commit', 'G-3', 1, plantBelow('gateway', loseCommits(3))],
  [
    'the gateway answers code 1 to a Rollback that fails',
    'D-7',
    1,
    answerInFrontOf('gateway', {
      answer: ({ kind, code }, answer) => (kind === 'rollback' && code === 0 ? REFUSES_CALLER : answer),
    }),
  ],
  [
    'the gateway answers 200 for an operator that does not answer',
    'G-5',
    1,
    answerInFrontOf('gateway', {
      answer: ({ kind, code }, answer, message) =>
        kind !== 'place' && code === 0 ? toAcknowledgement(message) : answer,
    }),
  ],
]
