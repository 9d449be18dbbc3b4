// The measured messages as bytes of signed HTTP/1.1 requests: a complete Place bet with one
// selection (about 700 bytes) and new ids, and its Settle.
import { randomInt, randomUUID } from 'node:crypto'
import { signBody } from './signature.ts'

export interface BenchPlayer {
  userId: string
  token: string
}

export const CURRENCY = 'EUR'

/** Events with bets at the same time, as on a busy weekend. */
const EVENTS = 2_000

function placeBetBody({ userId, token }: BenchPlayer, transactionId: string, amount: number): string {
  const event = 100_000 + randomInt(EVENTS)
  return JSON.stringify({
    requestId: randomUUID(),
    type: 1,
    transactionId,
    token,
    userId,
    amount,
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

/** Two of five bets are won, as at odds of about 1.85. */
function settleBody({ userId }: BenchPlayer, transactionId: string, stake: number): string {
  const isWon = randomInt(5) < 2
  return JSON.stringify({
    requestId: randomUUID(),
    type: 2,
    transactionId,
    userId,
    amount: isWon ? Math.round(stake * 185) / 100 : 0,
    currency: CURRENCY,
    coefficient: 1.85,
    gameType: 'sportsbook',
    bonusId: null,
    bonusTemplateId: null,
    ticketType: 'single',
    resultType: isWon ? 'won' : 'lost',
  })
}

/** A Place bet, and the Settle to send after it is accepted. */
export function signedBet(player: BenchPlayer, host: string, secret: string): { place: string; settle: string } {
  const [transactionId, stake] = [randomUUID(), randomInt(10, 500) / 100]
  return {
    place: signed('POST', placeBetBody(player, transactionId, stake), host, secret),
    settle: signed('PUT', settleBody(player, transactionId, stake), host, secret),
  }
}

export function signedPlaceBet(player: BenchPlayer, host: string, secret: string): string {
  return signed('POST', placeBetBody(player, randomUUID(), randomInt(10, 500) / 100), host, secret)
}

function signed(method: string, body: string, host: string, secret: string): string {
  return [
    `${method} /payment/bet HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    `x-sign-jws: ${signBody(secret, Buffer.from(body, 'latin1'))}`,
    '',
    body,
  ].join('\r\n')
}
