// The one message that is measured: a complete Place bet of interface.md with one selection in its metadata, about
// 700 bytes, fresh requestId and transactionId each, inside the bytes of a signed HTTP/1.1 request.
import { randomInt, randomUUID } from 'node:crypto'
import { sign } from './signature.ts'

export interface BenchPlayer {
  userId: string
  token: string
}

export const CURRENCY = 'EUR'

function placeBetBody({ userId, token }: BenchPlayer): string {
  const event = randomInt(100_000, 999_999)
  return JSON.stringify({
    requestId: randomUUID(),
    type: 1,
    transactionId: randomUUID(),
    token,
    userId,
    amount: randomInt(10, 500) / 100,
    currency: CURRENCY,
    coefficient: 1.85,
    gameType: 'sportsbook',
    bonusId: null,
    bonusTemplateId: null,
    ticketType: 'single',
    ip: '203.0.113.7',
    subPartnerId: null,
    bonusAmount: null,
    metadata: [
      {
        disciplineId: '1',
        discipline: 'Football',
        tournamentId: '88637',
        tournament: 'Premier League',
        tournamentRegionCode: 'GB',
        eventId: `${event}`,
        event: 'Northern Rovers - Southern United',
        eventDate: '2030-05-04 18:45:00',
        marketId: '1',
        market: 'Winner',
        outcomeId: '2',
        outcome: 'Draw',
        coefficient: 1.85,
        stage: 1,
      },
    ],
  })
}

export function signedPlaceBet(player: BenchPlayer, host: string, secret: string): string {
  const body = placeBetBody(player)
  return [
    'POST /payment/bet HTTP/1.1',
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    `x-sign-jws: ${sign(secret, Buffer.from(body, 'latin1'))}`,
    '',
    body,
  ].join('\r\n')
}
