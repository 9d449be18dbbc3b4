/**
 * Clauses quoted from the interface. Each MUST case cites a clause. Where the interface is silent,
 * a case is a SHOULD and cites a decision.
 */
import { createHash } from 'node:crypto'
import { VERSION } from '@purser/runtime/version'

export const CLAUSES = {
  'What the service does, 3': 'the service calls the partner to cancel the bet and refund the stake',
  'Resources, token': 'User session token identifying and authorizing the user.',
  'Resources, requestId': 'Identifies one request sent by the service',
  'Resources, transactionId': 'Identifies the placed bet',
  'Resources, amount': 'Dot-separated amount. Stake, payout or return amount depending on request type.',
  'Resources, userId': "Unique user id on the partner's platform.",
  'Resources, coefficient': 'Coefficient of the whole transaction',
  'Resources, gameType': "'sportsbook' or 'turbogames'.",
  'Resources, bonusId': 'Freebet bonus identifier.',
  'Resources, bonusTemplateId': 'Freebet bonus template identifier.',
  'Resources, bonusAmount': 'Freebet bonus amount, if any.',
  'Resources, ip': "User's IP address when the bet was placed.",
  'Resources, subPartnerId': 'Distinguishes the source of the bet when several sites run under one partner key.',
  'Resources, info': 'Optional free information about the bet.',
  'Resources, metadata': 'Optional list of per-selection details; may be extended.',
  'Resources, common bet parameters': 'Common bet parameters (Place bet, Settle, Unsettle, Rollback)',
  'Resources, success response': '| transactionId | string | length 10-36 | Identifier of the bet. |',
  'Resources, transactionTime': '| transactionTime | datetime | ISO 8601, UTC | Time of the transaction. |',
  'Resources, error response': '| code | integer | Error code. |',
  'Resources, User profile': '### User profile (response of User data)',
  'Resources, isTest': 'When absent, the user counts as isTest = false.',
  'Resources, customFields': 'All fields are optional as an object member set unless stated.',
  'Resources, operatorUser': 'string matching ^[A-Za-z0-9._~-]+$, maximum 64 characters.',
  Endpoints: 'Success status is 200.',
  'Place bet, partner action 1': 'Check that the method is POST and type equals 1.',
  'Place bet, partner action 2': 'Verify the request signature.',
  'Place bet, partner action 3': 'Verify the token (session still valid).',
  'Place bet, partner action 4': 'Check that the user has enough funds for amount in currency.',
  'Place bet, partner action 5': "If all checks pass, debit amount from the user's balance.",
  'Place bet, success': 'Success: HTTP 200, body with transactionId and transactionTime.',
  'Place bet, insufficient funds': "Insufficient funds: HTTP 400, body code 7, message 'Not enough money'.",
  'Place bet, responses':
    'A 400 with code 100 (system error), any status other than 200 or 400, or no answer in 5 s makes the service send a Rollback for this bet.',
  'Settle, request': 'The request does not carry place-bet-only fields.',
  'Settle, token': "`token` only for 'cashout'",
  'Settle, partner action 1': 'Check that the method is PUT and type equals 2.',
  'Settle, partner action 2': 'Verify the request signature.',
  'Settle, partner action 3':
    "When resultType is 'cashout', verify the user token; for other result types no token validation is required",
  'Settle, partner action 4': 'Find the bet by transactionId (sent in Place bet).',
  'Settle, partner action 5': 'amount > 0 (win, refund or cashout) means the amount is added to the balance',
  'Settle, partner action 6': 'Respond with HTTP 200 and transactionId and transactionTime.',
  'Settle, resettle (a)': 'a timeout or unexpected error on the previous attempt, resent with the same data',
  'Settle, resettle action 1': 'if it matches, responds with success without changing the balance.',
  'Settle, resettle action 2': 'If the earlier payout amount differs, reverts the earlier settlement.',
  'Settle, resettle action 3': 'Applies a new payment for the new amount.',
  'Settle, resettle action 4': 'May refuse a changed result by answering HTTP 400 with code 20',
  'Rollback, triggers': 'Place bet failed: 400 with code 100, status other than 200 or 400, or no response within 5 s.',
  'Rollback, partner action 1': 'Check that the method is PUT and type equals 3.',
  'Rollback, partner action 2': 'Verify the request signature.',
  'Rollback, partner action 3': 'Find the bet by transactionId.',
  'Rollback, partner action 4': 'If found, cancel it and refund the amount to the user.',
  'Rollback, token': "the partner's listed actions do not include token verification",
  'Rollback, errorCode': 'common parameters plus errorCode (integer, codes in Errors)',
  'Rollback, never twice': 'A bet is never refunded twice.',
  'Rollback, race':
    "A Rollback may arrive before the Place bet is fully processed; the partner's logic must handle this race.",
  'Rollback, answer 200':
    'Respond 200 when: no bet is found and no funds need returning; the bet was found and refunded',
  'Rollback, code 8':
    "HTTP 400 with code 8 and message 'The bet has already been processed' is treated by the service as a successfully processed rollback.",
  'User data, partner actions': 'verify the request signature; verify the user token; respond with the user profile',
  'User data, multi-currency rule 1': 'The response always carries the currently active currency.',
  'User data, multi-currency rule 2':
    'carry the currency that was active when the bet was placed, even if the user later switches currency',
  'User data, multi-currency rule 3': '`userId` stays constant for the same real user',
  'User data, multi-currency rule 4': 'each pair of userId and currency has its own unique token',
  'Authentication, 1': 'the partner must verify to ensure the request comes from the service',
  'Authentication, 2': 'It is verified by the partner on Place bet, on User data, and on Settle when resultType is',
  'Errors, body': 'Error body: HTTP 400 with JSON members code and message.',
  'Errors, code 7': '| 400 | 7 | Not enough money | Place bet, user lacks funds. |',
  'Errors, rollback errorCode': '`errorCode` values:',
  'Limits, userId length': '| userId length | 1-64 (User data) | User data. |',
  'Limits, response time-out': '| Response time-out | 5 seconds | Place bet and Rollback requests',
  'Limits, rollback retries': 'up to 10 attempts over a 6-minute period, interval growing exponentially',
  'Limits, rollback completion':
    'HTTP 200 with a body in the standard format (transactionId, transactionTime), or 400 with code 8',
  'Limits, token length': '| token length | 10-64 | All requests with a token. |',
} as const satisfies Readonly<Record<string, string>>

/** Characters of the digest that identifies this list. */
const DIGEST_CHARS = 8

/** The interface itself has no version. */
export const INTERFACE_VERSION = `partner wallet callback interface, clauses ${createHash('sha256')
  .update(JSON.stringify(CLAUSES))
  .digest('hex')
  .slice(0, DIGEST_CHARS)}`

/** 'Settle, partner action 3; L-4' contains two clauses. */
export function splitClauses(clause: string): string[] {
  return clause.split('; ')
}

export function isInterfaceClause(name: string): name is keyof typeof CLAUSES {
  return name in CLAUSES
}

const BETS_LIFE = "The bet's life"

/** The page and anchor in docs/reference with the text of the clause. */
export function toClausePath(name: string): string {
  if (name === BETS_LIFE) return 'decisions.md#the-life-of-a-bet'
  if (!isInterfaceClause(name)) return `decisions.md#${name.toLowerCase()}`
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `interface.md#clause-${words.join('-')}`
}

/** Every report names both. */
export const KIT_VERSIONS = { kitVersion: VERSION, interfaceVersion: INTERFACE_VERSION } as const
