/** Faults to plant in the platform: in its reads and writes, and in its reading of answers. */

import { OPERATIONS } from '@purser/protocol/operation'
import { REPLY_CODES, ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import type { Row as Stored } from 'purser/core/database/db'
import { parseMessage } from '../actors/reply-parsing.ts'
import { addOne, loseCommits, skipStatement, toAcknowledgement } from '../faults/fault-planting.ts'
import { alterRows, combineFaults, type DbFault, rewordStatement } from '../faults/sql-faults.ts'
import type { NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'
import { type PlantedFaultRow, plantBelow, plantInCaller } from './planted-fault.ts'

const plantInPlatform = (...plants: readonly DbFault[]) => plantBelow('platform', combineFaults(...plants))

const isPlace = ({ method, path }: NetworkRequest) => method === 'POST' && path === '/payment/bet'
const isSettle = (request: NetworkRequest) =>
  request.path === '/payment/bet' && parseMessage(request).type === OPERATIONS.settle.type
const DECLINED: NetworkAnswer = { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.not_enough_money)) }
const isReadable = ({ body }: NetworkAnswer) => body.toString('utf8').endsWith('}')

/** Pays one unit more than the decision. */
function withMore(row: Stored): Stored {
  return {
    ...row,
    body: `${row.body}`.replace(/"amount":([1-9]\d*)/, (_, whole: string) => `"amount":${addOne(whole)}`),
  }
}

const { timeOut, partnerFailed } = ROLLBACK_REASON

function withOtherReason(row: Stored): Stored {
  return { ...row, body: `${row.body}`.replace(`"errorCode":${timeOut}`, `"errorCode":${partnerFailed}`) }
}

export const PLATFORM_FAULTS: readonly PlantedFaultRow[] = [
  ['the platform loses a commit', 'C-1', 1, plantInPlatform(loseCommits(60))],
  ['the calls of a dead process are not taken over', 'C-12', 1, plantInPlatform(skipStatement('platform_held_claims'))],
  ['a claim of a dead process is not released', 'C-12', 1, plantInPlatform(skipStatement('platform_release'))],
  [
    'a delivery that waits for another delivery is forgotten',
    'C-6',
    9,
    plantInPlatform(skipStatement('platform_promote')),
  ],
  [
    'no delivery waits for earlier deliveries of its bet',
    'C-6',
    9,
    plantInPlatform(skipStatement('platform_unfinished')),
  ],
  ['due deliveries are not found', 'C-5', 1, plantInPlatform(skipStatement('platform_next_due'))],
  [
    'the attempts of a rollback bunch after a pause',
    'C-4',
    2,
    plantInPlatform(
      rewordStatement('platform_finish', [
        'due_at = coalesce(r.due_at, d.due_at)',
        "due_at = case when d.operation = 'rollback' then r.first_attempt_at + interval '0.7 seconds' * (2 ^ r.attempt - 1) else coalesce(r.due_at, d.due_at) end",
      ]),
    ),
  ],
  [
    'a result is applied again in the turn of the next one',
    'C-5',
    1,
    plantInPlatform(
      alterRows('platform_lock_free_bets', (row) =>
        row.status === 'settled' && row.result_source === 'event'
          ? { ...row, status: 'accepted', payout: null, result_type: null, result_source: null }
          : row,
      ),
    ),
  ],
  [
    'a claim of a living process is taken over',
    'C-6',
    1,
    plantInPlatform(rewordStatement('platform_claim', ['and not is_claimed', ''])),
  ],
  [
    'a cashout that was refused freezes its bet',
    'C-8',
    1,
    plantInPlatform(
      alterRows('platform_finish', (row) => ({ ...row, status: row.status === 'refused' ? 'done' : row.status })),
    ),
  ],
  [
    'one 400 ends a result, which is then not owed',
    'C-5',
    1,
    plantInPlatform(
      rewordStatement(
        'platform_finish',
        ["'stuck' else r.status end", "'stuck' when r.http_status = 400 then 'refused' else r.status end"],
        ['r.is_owed and', 'false and'],
      ),
    ),
  ],
  [
    'a 502 to a Place bet declines it',
    'C-2',
    3,
    plantInCaller({ answer: (request, answer) => (isPlace(request) && answer.status === 502 ? DECLINED : answer) }),
  ],
  [
    'a connection that breaks declines a Place bet',
    'C-2',
    1,
    plantInCaller({ broken: (request) => (isPlace(request) ? DECLINED : undefined) }),
  ],
  [
    'a truncated refusal counts as success',
    'C-2',
    2,
    plantInCaller({
      answer: (request, answer) =>
        isPlace(request) && answer.status === 400 && !isReadable(answer)
          ? toAcknowledgement(parseMessage(request))
          : answer,
    }),
  ],
  [
    'a 502 to a result counts as success',
    'C-5',
    1,
    plantInCaller({
      answer: (request, answer) =>
        isSettle(request) && answer.status === 502 ? toAcknowledgement(parseMessage(request)) : answer,
    }),
  ],
  [
    'the partner’s acknowledgement is not recorded',
    'C-9',
    1,
    plantInPlatform(rewordStatement('platform_finish', ["b.bet_id = e.bet_id and e.status = 'done'", 'false'])),
  ],
  [
    'a bet whose process died while placing it stays',
    'C-1',
    7,
    plantInPlatform(alterRows('platform_held_claims', (row) => (row.operation === 'place' ? undefined : row))),
  ],
  [
    'a claim is watched by the clock of the database',
    'C-12',
    18,
    (stores) => ({ ...stores, elapsed: (clock) => clock.now().getTime() }),
  ],
  [
    'a Rollback after a time-out says that the partner failed',
    'C-2',
    1,
    plantInPlatform(alterRows('platform_claim', withOtherReason)),
  ],
  ['the sent payout differs from the decided payout', 'M-2', 1, plantInPlatform(alterRows('platform_claim', withMore))],
]
