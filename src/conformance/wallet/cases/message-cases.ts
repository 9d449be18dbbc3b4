/** Malformed and misaddressed calls (part A, K4, K6): refused with a body, and nothing moves. */
import { replyCode } from '../../../protocol/reply-codes.ts'
import { rawJson } from '../case/json-spelling.ts'
import {
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  placeStep,
  profileStep,
  rollbackStep,
  settleStep,
} from '../case/step-builders.ts'
import type { AllowedAnswer, StepCase } from '../case/wallet-case.ts'

const BROKEN = ['', '{', '[]', '"text"', 'null', '{"type":1,}']
const NO_AMOUNTS = ['-500', '"NaN"', 'true', 'null', '1e308']
const NO_TYPES = ['2', '3', '4', '0', 'null'].map(rawJson)
const NO_RESULT_TYPES = ['4', '0', 'null'].map(rawJson)
/** Of an operator's player whom the wallet does not know. Older descriptions of the interface had 2, which none publishes any more. */
const NOT_KNOWN: AllowedAnswer = { kind: 'refused', codes: [2, replyCode('invalid_token')], effect: 'nothing' }
const NOT_FOR_OPERATORS = ['a b', '../x', "x' or ''='", '', 'a'.repeat(65)]

export const MESSAGE_CASES: readonly StepCase[] = [
  {
    id: 'message-01',
    clause: 'R-1',
    level: 'SHOULD',
    sentence: 'a body that is no JSON object is refused with 400, never with a failure',
    loses: 'nothing: but the service takes a 5xx for an unknown outcome and sends Rollbacks',
    covers: ['A12'],
    steps: BROKEN.map((raw) => placeStep({ raw }, allowRefused())),
  },
  {
    id: 'message-02',
    clause: 'Place bet, partner action 1; Settle, partner action 1',
    level: 'MUST',
    sentence: 'a type that the method does not have is refused, and nothing moves',
    loses: 'a call that means nothing debits or pays: either of the two',
    covers: ['A10', 'A13', 'K6'],
    steps: [
      ...[...NO_TYPES, undefined].map((type) => placeStep({ members: { type } }, allowAnyFailure())),
      placeStep({ bet: 'Y' }),
      ...[...NO_RESULT_TYPES, undefined].map((type) =>
        settleStep('won', '200', { bet: 'Y', members: { type } }, allowAnyFailure()),
      ),
    ],
  },
  {
    id: 'message-03',
    clause: 'R-1',
    level: 'SHOULD',
    sentence: 'methods that the interface does not have are 404, 405 or 400',
    loses: 'nothing, as long as no money moves',
    covers: ['A10'],
    steps: ['GET', 'DELETE', 'PATCH'].map((method) => placeStep({ method, raw: '' }, allowRefused())),
  },
  {
    id: 'message-04',
    clause: 'Place bet, partner action 5; Resources, amount; M-1',
    level: 'MUST',
    sentence: 'an amount that is none, or below 0, is no success and moves nothing',
    loses: 'a negative stake is money for the player: the operator pays',
    covers: ['C32', 'C33', 'K4'],
    steps: [...NO_AMOUNTS.map((amount) => placeStep({ members: { amount: rawJson(amount) } }, allowAnyFailure()))],
  },
  {
    id: 'message-05',
    clause: 'Resources, transactionId; Resources, success response; I-7',
    level: 'MUST',
    sentence: 'a bet without an id is no success and debits nothing',
    loses: 'a debit that no Rollback can name: the player loses the stake',
    covers: ['C42', 'C43'],
    steps: [
      placeStep({ members: { transactionId: undefined } }, allowAnyFailure()),
      placeStep({ members: { transactionId: '' } }, allowAnyFailure()),
    ],
  },
  {
    id: 'message-06',
    clause: 'R-8',
    level: 'SHOULD',
    sentence: 'a long text is accepted or refused with 400',
    loses: 'nothing: but every failure is a Rollback',
    covers: ['C45'],
    steps: ['X', 'Y'].map((bet, index) =>
      placeStep({ bet, members: { info: 'a'.repeat([20_000, 300_000][index] ?? 0) } }, [
        allowAccepted('debit'),
        allowRefused(),
      ]),
    ),
  },
  {
    id: 'message-07',
    clause: 'Settle, partner action 1',
    level: 'MUST',
    sentence: 'POST with type 2 settles no bet',
    loses: 'a payout for what is no Settle: the operator pays',
    covers: ['A10', 'K6'],
    steps: [placeStep(), settleStep('won', '200', { method: 'POST', token: 'live' }, allowAnyFailure())],
  },
  {
    id: 'message-08',
    clause: 'Rollback, partner action 1',
    level: 'MUST',
    sentence: 'POST with type 3 rolls no bet back',
    loses: 'the stake of a bet that is still open: the operator pays its win without it',
    covers: ['A10', 'K6'],
    steps: [placeStep(), rollbackStep({ method: 'POST' }, allowAnyFailure())],
  },
  {
    id: 'message-09',
    clause: 'Resources, amount',
    level: 'MUST',
    sentence: 'a bet or a Settle without an amount is no success and moves nothing',
    loses: 'the win, taken for 0: the player pays',
    covers: ['C43'],
    steps: [
      placeStep({ members: { amount: undefined } }, allowAnyFailure()),
      ...[
        placeStep({ bet: 'Y' }),
        settleStep('won', '200', { bet: 'Y', members: { amount: undefined } }, allowAnyFailure()),
      ],
    ],
  },
  {
    id: 'message-10',
    clause: 'R-6',
    level: 'SHOULD',
    sentence: 'a bet without requestId, userId or currency is refused',
    loses: 'nothing yet: what the wallet fills in is a guess at whose money it is, and which',
    covers: ['C43'],
    steps: ['requestId', 'userId', 'currency'].map((name) =>
      placeStep({ members: { [name]: undefined } }, allowRefused()),
    ),
  },
  {
    id: 'message-11',
    clause: 'Limits, token length; R-1',
    level: 'SHOULD',
    sentence: 'a token or a userId beyond its length is refused with 400, never with a failure',
    loses: 'nothing: but the service takes a 5xx for an unknown outcome and sends Rollbacks',
    covers: ['C44'],
    steps: [
      ...['a'.repeat(9), 'a'.repeat(65)].map((token) => placeStep({ members: { token } }, allowRefused())),
      placeStep({ members: { userId: 'a'.repeat(65) } }, allowRefused()),
    ],
  },
  {
    id: 'message-12',
    clause: 'Resources, operatorUser; P-5',
    level: 'SHOULD',
    sentence: 'an operatorUser of other characters or of more than 64 is refused',
    loses: 'nothing yet: such an id goes on into addresses, logs and queries',
    covers: ['C44'],
    steps: NOT_FOR_OPERATORS.map((operatorUser) => placeStep({ members: { operatorUser } }, allowRefused())),
  },
  {
    id: 'message-13',
    clause: 'Resources, operatorUser',
    level: 'SHOULD',
    sentence: 'an operatorUser of every character that it may have is taken, or is nobody the wallet knows',
    loses: 'every bet that comes through an aggregator',
    covers: ['C44'],
    steps: [
      profileStep({ members: { operatorUser: 'Az09._~-' } }, [allowAccepted('nothing'), NOT_KNOWN]),
      placeStep({ members: { operatorUser: 'Az09._~-' } }, [allowAccepted('debit'), NOT_KNOWN]),
    ],
  },
  {
    id: 'message-14',
    clause: 'Resources, info',
    level: 'MUST',
    sentence: 'quotes, tags and SQL in a text are text',
    loses: 'every bet on a match with an apostrophe, or, to whoever writes the text, the database',
    covers: ['C47'],
    steps: [
      placeStep({ members: { info: `O'Brien "x" \\ '); drop table bets; -- <script>alert(1)</script> %s \${7*7}` } }),
      placeStep({ bet: 'Y', members: { info: "it's" } }),
    ],
  },
  {
    id: 'message-15',
    clause: 'R-8',
    level: 'SHOULD',
    sentence: 'a signed body is read whatever its content type says',
    loses: 'every bet on the day on which the service writes the header differently',
    covers: ['A12', 'K27'],
    steps: ['application/json; charset=utf-8', 'text/plain'].map((contentType, index) =>
      placeStep({ bet: `content type ${index + 1}`, contentType }),
    ),
  },
  {
    id: 'message-16',
    clause: 'Resources, info',
    level: 'MUST',
    sentence: 'letters of every script, and signs of four bytes, are text',
    loses: 'every bet on a match that somebody has put a flag or a ball beside',
    covers: ['C46'],
    steps: [placeStep({ members: { info: 'Bodø – Łódź, Москва, 東京, مكة ⚽ 🇳🇴' } })],
  },
  {
    id: 'message-17',
    clause: 'M-1',
    level: 'SHOULD',
    sentence: 'a number in quotes is no number',
    loses: 'nothing yet: what reads "100" as 100 reads other texts as numbers too',
    covers: ['A13', 'C33', 'K4'],
    steps: [
      placeStep({ members: { type: '1' } }, allowRefused()),
      placeStep({ members: { amount: '100' } }, allowRefused()),
    ],
  },
  {
    id: 'message-18',
    clause: 'R-1',
    level: 'SHOULD',
    sentence: 'a bet without an id, or of an amount that is none, is refused with 400, never with a failure',
    loses: 'nothing: but the service takes a 5xx for an unknown outcome and sends Rollbacks',
    covers: ['C32', 'C33', 'C42', 'C43', 'K4'],
    steps: [
      ...NO_AMOUNTS.map((amount) => placeStep({ members: { amount: rawJson(amount) } }, allowRefused())),
      ...[undefined, ''].map((transactionId) => placeStep({ members: { transactionId } }, allowRefused())),
    ],
  },
  {
    id: 'message-19',
    clause: 'D-4',
    level: 'SHOULD',
    sentence: 'a path with a second slash is the path of the interface',
    loses: 'every bet, and every win, once somebody writes a base URL with a slash at its end',
    covers: ['A10'],
    steps: [placeStep({ path: '//payment/bet' }), settleStep('won', '200', { path: '/payment//bet' })],
  },
]
