/**
 * Short names for ids in the list of a run's events: the first bet is `bet 1`, the first request
 * `r1`.
 */
import { parseBetOperation } from '@purser/protocol/operation'
import type { NetworkRequest } from './network/simulated-network.ts'

export interface StoryNames {
  /** All values of the call. */
  describe(request: NetworkRequest): string
  /** Only the operation and its bet. */
  subject(request: NetworkRequest): string
  bet(betId: string): string
}

export function createStoryNames(): StoryNames {
  const [bets, requests] = [createNumbering('bet '), createNumbering('r')]
  return {
    bet: bets,
    subject({ method, path, body }) {
      if (path !== '/payment/bet') return path.replace('/user/', '')
      const members = JSON.parse(body.toString('utf8')) as Record<string, unknown>
      return `${describeKind(method, members).split(' ')[0]} ${bets(`${members.transactionId}`)}`
    },
    describe({ method, path, body }) {
      const members = JSON.parse(body.toString('utf8')) as Record<string, unknown>
      const request = requests(`${members.requestId}`)
      if (path !== '/payment/bet') return `${path.replace('/user/', '')} ${request}`
      const bet = bets(`${members.transactionId}`)
      return `${describeKind(method, members)} ${bet} ${request} ${members.amount} ${members.currency}`
    },
  }
}

function createNumbering(prefix: string): (id: string) => string {
  const known = new Map<string, string>()
  return (id) => {
    const name = known.get(id) ?? `${prefix}${known.size + 1}`
    known.set(id, name)
    return name
  }
}

function describeKind(method: string, { type, resultType }: Record<string, unknown>): string {
  const operation = parseBetOperation(method, type) ?? 'no operation'
  return operation === 'settle' ? `settle ${resultType}` : operation
}
