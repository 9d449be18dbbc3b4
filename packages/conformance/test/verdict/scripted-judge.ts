/** A live judge whose calls get answers from the test, for histories of a few calls. */
import type { Exchange, ReceivedAnswer, SentRequest } from '../../src/http-exchange.ts'
import type { CallMarks, Verdict } from '../../src/verdict/live-verdict.ts'
import { type BetPlayer, createLiveWallet, type LiveWallet, type LiveWalletOptions } from './live-wallet.ts'

export interface ScriptedJudge {
  readonly live: LiveWallet
  readonly player: BetPlayer
  /** A call that ends at once. Returns the verdicts of its answer. */
  play(request: SentRequest, answer: ReceivedAnswer, options?: CallMarks & { durationMs?: number }): readonly Verdict[]
  /** A call in progress. The returned function ends it. */
  begin(request: SentRequest, marks?: CallMarks): (answer: ReceivedAnswer) => readonly Verdict[]
  /** The balance in minor units. */
  read(units: bigint): readonly Verdict[]
}

export function createScriptedJudge(options: LiveWalletOptions = {}): ScriptedJudge {
  const live = createLiveWallet({ balance: '100', ...options })
  const [player] = live.players
  if (player === undefined) throw new Error('there is no player')
  const begin = (request: SentRequest, { durationMs = 5, ...marks }: CallMarks & { durationMs?: number } = {}) => {
    const startedAt = new Date()
    const number = live.judge.begin(request, startedAt, marks)
    return (answer: ReceivedAnswer) => {
      const exchange: Exchange = { what: '', request, answer: withBetId(answer, request), startedAt, durationMs }
      return live.judge.end(number, exchange)
    }
  }
  return {
    ...{ live, player, begin },
    play: (request, answer, marks) => begin(request, marks)(answer),
    read: (units) => live.judge.balance(player.userId, units),
  }
}

/** A success names the bet of its request. */
function withBetId(answer: ReceivedAnswer, { body }: SentRequest): ReceivedAnswer {
  if (answer.kind === 'none') return answer
  return { ...answer, body: answer.body.replace('THE BET', JSON.parse(body).transactionId) }
}

export function reply(status: number, body: string, contentType = 'application/json'): ReceivedAnswer {
  return { kind: 'some', status, contentType, body }
}

export function accept(): ReceivedAnswer {
  return reply(200, JSON.stringify({ transactionId: 'THE BET', transactionTime: new Date().toISOString() }))
}

export function refuse(code: number): ReceivedAnswer {
  return reply(400, JSON.stringify({ code, message: 'no' }))
}

export const NO_ANSWER: ReceivedAnswer = { kind: 'none', why: 'time-out' }
