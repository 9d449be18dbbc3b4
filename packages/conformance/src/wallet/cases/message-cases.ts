/**
 * Cases: malformed calls, and calls to a wrong path or method, are rejected with a body. No money
 * moves.
 */
import { replyCode } from '@purser/protocol/reply-codes'
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
/**
 * For an unknown operatorUser. Older descriptions of the interface had code 2; no current one does.
 */
const NOT_KNOWN: AllowedAnswer = { kind: 'refused', codes: [2, replyCode('invalid_token')], effect: 'nothing' }
const NOT_FOR_OPERATORS = ['a b', '../x', "x' or ''='", '', 'a'.repeat(65)]

export const MESSAGE_CASES: readonly StepCase[] = [
  {
    id: 'message-01',
    clause: 'R-1',
    level: 'SHOULD',
    sentence: 'a body that is no JSON object is refused with 400, never with a 5xx',
    loses: 'no money is lost, but the service treats a 5xx as an unknown outcome and sends Rollbacks',
    covers: ['A12'],
    steps: BROKEN.map((raw) => placeStep({ raw }, allowRefused())),
  },
  {
    id: 'message-02',
    clause: 'Place bet, partner action 1; Settle, partner action 1',
    level: 'MUST',
    sentence: 'a type that does not belong to the HTTP method is refused, and no money moves',
    loses: 'a call without a meaning debits or pays, and one side loses the money',
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
    sentence: 'methods that the interface does not have are answered 404, 405 or 400',
    loses: 'no side loses as long as no money moves',
    covers: ['A10'],
    steps: ['GET', 'DELETE', 'PATCH'].map((method) => placeStep({ method, raw: '' }, allowRefused())),
  },
  {
    id: 'message-04',
    clause: 'Place bet, partner action 5; Resources, amount; M-1',
    level: 'MUST',
    sentence: 'an invalid amount, or an amount below 0, is no success and moves no money',
    loses: 'a negative stake credits the player, and the operator pays',
    covers: ['C32', 'C33', 'K4'],
    steps: [...NO_AMOUNTS.map((amount) => placeStep({ members: { amount: rawJson(amount) } }, allowAnyFailure()))],
  },
  {
    id: 'message-05',
    clause: 'Resources, transactionId; Resources, success response; I-7',
    level: 'MUST',
    sentence: 'a bet without an id is no success and debits nothing',
    loses: 'no Rollback can name the debit, and the player loses the stake',
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
    loses: 'no money is lost, but every failure causes a Rollback',
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
    loses: 'the operator pays a payout for a call that is no Settle',
    covers: ['A10', 'K6'],
    steps: [placeStep(), settleStep('won', '200', { method: 'POST', token: 'live' }, allowAnyFailure())],
  },
  {
    id: 'message-08',
    clause: 'Rollback, partner action 1',
    level: 'MUST',
    sentence: 'POST with type 3 rolls no bet back',
    loses: 'the stake of an open bet is refunded, and if the bet wins, the operator pays a win that cost no stake',
    covers: ['A10', 'K6'],
    steps: [placeStep(), rollbackStep({ method: 'POST' }, allowAnyFailure())],
  },
  {
    id: 'message-09',
    clause: 'Resources, amount',
    level: 'MUST',
    sentence: 'a bet or a Settle without an amount is no success and moves no money',
    loses: 'the wallet treats the win as 0, and the player loses it',
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
    loses: 'no money is lost yet, but the wallet must guess the player or the currency',
    covers: ['C43'],
    steps: ['requestId', 'userId', 'currency'].map((name) =>
      placeStep({ members: { [name]: undefined } }, allowRefused()),
    ),
  },
  {
    id: 'message-11',
    clause: 'Limits, token length; R-1',
    level: 'SHOULD',
    sentence: 'a token or a userId above its maximum length is refused with 400, never with a 5xx',
    loses: 'no money is lost, but the service treats a 5xx as an unknown outcome and sends Rollbacks',
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
    sentence: 'an operatorUser with other characters or with more than 64 characters is refused',
    loses: 'no money is lost yet, but such an id reaches URLs, logs and queries',
    covers: ['C44'],
    steps: NOT_FOR_OPERATORS.map((operatorUser) => placeStep({ members: { operatorUser } }, allowRefused())),
  },
  {
    id: 'message-13',
    clause: 'Resources, operatorUser',
    level: 'SHOULD',
    sentence: 'an operatorUser with every allowed character is accepted, or is unknown to the wallet',
    loses: 'the operator loses every bet that comes through an aggregator',
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
    sentence: 'quotes, tags and SQL in a text are accepted as text',
    loses: 'the operator loses every bet on a match with an apostrophe, or an attacker takes over the database',
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
    sentence: 'a signed body is read with any content type',
    loses: 'the operator loses every bet when the service writes the content type in another way',
    covers: ['A12', 'K27'],
    steps: ['application/json; charset=utf-8', 'text/plain'].map((contentType, index) =>
      placeStep({ bet: `content type ${index + 1}`, contentType }),
    ),
  },
  {
    id: 'message-16',
    clause: 'Resources, info',
    level: 'MUST',
    sentence: 'letters of every script and characters of four bytes are accepted as text',
    loses: 'the operator loses every bet on a match whose name contains a flag or a ball',
    covers: ['C46'],
    steps: [placeStep({ members: { info: 'Bodø – Łódź, Москва, 東京, مكة ⚽ 🇳🇴' } })],
  },
  {
    id: 'message-17',
    clause: 'M-1',
    level: 'SHOULD',
    sentence: 'a number in quotes is not a number',
    loses: 'no money is lost yet, but a parser that reads "100" as 100 also reads other texts as numbers',
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
    sentence: 'a bet without an id, or with an invalid amount, is refused with 400, never with a 5xx',
    loses: 'no money is lost, but the service treats a 5xx as an unknown outcome and sends Rollbacks',
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
    sentence: 'a path with a double slash means the same as the path with one slash',
    loses: 'every bet and every win fails when a base URL ends with a slash',
    covers: ['A10'],
    steps: [placeStep({ path: '//payment/bet' }), settleStep('won', '200', { path: '/payment//bet' })],
  },
]
