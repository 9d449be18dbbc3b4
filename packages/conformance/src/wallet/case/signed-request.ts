/**
 * Builds the exact request of a call. It has all members of the interface (interface.md,
 * Resources), with the changes that the case requires.
 */
import { randomUUID } from 'node:crypto'
import { OPERATIONS } from '@purser/protocol/operation'
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import { SIGNATURE_HEADER } from '@purser/protocol/signature'
import type { PlannedRequest } from '../play/request-sender.ts'
import type { FixturePlayer, PlayerAccount } from '../players/player-fixtures.ts'
import { rawJson, writeJson } from './json-spelling.ts'
import { applyNearMisses } from './near-miss.ts'
import { signWithVariant } from './signature-variants.ts'
import type { CallStep } from './wallet-case.ts'

export interface RequestParts {
  readonly requestId: string
  readonly betId: string
  readonly userId: string
  readonly operatorUser: string | undefined
  readonly token: string | undefined
  readonly account: PlayerAccount
  /** The written amount. */
  readonly amount: string | undefined
}

/** A token in the form of real tokens (P-1) that was never issued. */
export function createUnknownToken(): string {
  return `${randomUUID()}${randomUUID()}`.replaceAll('-', '').slice(0, 43)
}

export function selectAccount(player: FixturePlayer, { currency }: CallStep): PlayerAccount {
  if (currency === 'first') return player.first
  if (player.second === undefined) throw new Error('a case uses a second currency without saying that it needs one')
  return player.second
}

export function buildSignedRequest(call: CallStep, parts: RequestParts, secret: string): PlannedRequest {
  const body = call.raw ?? writeJson(applyNearMisses(buildMembers(call, parts), call.members), call.spelling)
  const { method, path } = OPERATIONS[call.operation]
  const signature = signWithVariant(call.signature, Buffer.from(body), secret)
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

function buildMembers({ operation, resultType }: CallStep, given: RequestParts): Record<string, unknown> {
  const { requestId, betId: transactionId, userId, operatorUser, token, account } = given
  const { currency } = account
  switch (operation) {
    case 'place':
      return { ...buildCommonMembers(given, 1), ...PLACE_MEMBERS }
    case 'settle':
      return { ...buildCommonMembers(given, 2), resultType }
    case 'unsettle':
      return buildCommonMembers(given, 1)
    case 'rollback':
      return { ...buildCommonMembers(given, 3), bonusAmount: null, errorCode: ROLLBACK_REASON.closingFailed }
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

function buildCommonMembers(given: RequestParts, type: 1 | 2 | 3): Record<string, unknown> {
  const { requestId, betId: transactionId, token, userId, operatorUser, amount, account } = given
  return {
    ...{ requestId, type, transactionId, token, userId, operatorUser },
    amount: amount === undefined ? undefined : rawJson(amount),
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
