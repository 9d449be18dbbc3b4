/** From a call of a case to the exact request: complete, valid members (interface.md, Resources) with the call's changes. */
import { randomUUID } from 'node:crypto'
import { ROLLBACK_REASON } from '../../../protocol/codes.ts'
import { OPERATIONS } from '../../../protocol/operation.ts'
import { SIGNATURE_HEADER } from '../../../protocol/signature.ts'
import type { PlannedRequest } from '../play/sender.ts'
import type { Account, Player } from '../players/players.ts'
import { withChanges } from './alike.ts'
import type { Call } from './case.ts'
import { writeJson, written } from './json-text.ts'
import { signatureOf } from './signing.ts'

/** What the members of one call are made of. */
export interface Ingredients {
  readonly requestId: string
  readonly betId: string
  readonly userId: string
  readonly operatorUser: string | undefined
  readonly token: string | undefined
  readonly account: Account
  /** As written on the wire. */
  readonly amount: string | undefined
}

/** In the shape that P-1 gives tokens, and never given out. */
export function unknownToken(): string {
  return `${randomUUID()}${randomUUID()}`.replaceAll('-', '').slice(0, 43)
}

export function accountOf(player: Player, { purse }: Call): Account {
  if (purse === 'first') return player.first
  if (player.second === undefined) throw new Error('a case uses a second currency without saying that it needs one')
  return player.second
}

export function planRequest(call: Call, ingredients: Ingredients, secret: string): PlannedRequest {
  const body = call.raw ?? writeJson(withChanges(membersOf(call, ingredients), call.members), call.spelling)
  const { method, path } = OPERATIONS[call.operation]
  const signature = signatureOf(call.signature, Buffer.from(body), secret)
  return {
    method: call.method ?? method,
    path: call.path ?? path,
    headers: {
      'content-type': call.contentType ?? 'application/json',
      ...(signature !== undefined && { [SIGNATURE_HEADER]: signature }),
    },
    body,
  }
}

function membersOf({ operation, resultType }: Call, given: Ingredients): Record<string, unknown> {
  const { requestId, betId: transactionId, userId, operatorUser, token, account } = given
  const { currency } = account
  switch (operation) {
    case 'place':
      return { ...commonMembers(given, 1), ...PLACE_MEMBERS }
    case 'settle':
      return { ...commonMembers(given, 2), resultType }
    case 'unsettle':
      return commonMembers(given, 1)
    case 'rollback':
      return { ...commonMembers(given, 3), bonusAmount: null, errorCode: ROLLBACK_REASON.closingFailed }
    case 'profile':
      return { token, requestId, operatorUser }
    case 'balance':
      return { token, userId, operatorUser, currency, requestId }
    case 'check':
      return { transactionId, userId, operatorUser }
    default:
      return operation satisfies never
  }
}

function commonMembers(given: Ingredients, type: 1 | 2 | 3): Record<string, unknown> {
  const { requestId, betId: transactionId, token, userId, operatorUser, amount, account } = given
  return {
    ...{ requestId, type, transactionId, token, userId, operatorUser },
    amount: amount === undefined ? undefined : written(amount),
    ...{ currency: account.currency, coefficient: 2.5, gameType: 'sportsbook', bonusId: null, bonusTemplateId: null },
    ...{ ticketType: 'single', boosterCoefficient: 1 },
  }
}

const PLACE_MEMBERS = {
  ip: '203.0.113.7',
  info: 'a bet of the conformance kit',
  subPartnerId: null,
  metadata: [
    {
      ...{ disciplineId: 1, discipline: 'Football', tournamentId: 77, tournament: 'Eliteserien' },
      ...{ tournamentRegionCode: 'NO', eventId: 4711, event: 'Brann - Bodø/Glimt', eventDate: '2031-05-16 18:00:00' },
      ...{ marketId: 1, market: 'Winner', outcomeId: 2, outcome: 'Bodø/Glimt', coefficient: 2.5, stage: 1 },
    },
  ],
  bonusAmount: null,
}
