/** Ids as a story can be told with them: the first bet is bet 1, the first request r1. */
import { betOperationOf } from '../../protocol/operation.ts'
import type { Request } from './network.ts'

export interface Names {
  /** What a message asks for. */
  describe(request: Request): string
  /** The same in few words: what is asked for, and of which bet. */
  subject(request: Request): string
  bet(betId: string): string
}

export function createNames(): Names {
  const [bets, requests] = [numbered('bet '), numbered('r')]
  return {
    bet: bets,
    subject({ method, path, body }) {
      if (path !== '/payment/bet') return path.replace('/user/', '')
      const said = JSON.parse(body.toString('utf8')) as Record<string, unknown>
      return `${kindOf(method, said).split(' ')[0]} ${bets(`${said.transactionId}`)}`
    },
    describe({ method, path, body }) {
      const said = JSON.parse(body.toString('utf8')) as Record<string, unknown>
      const request = requests(`${said.requestId}`)
      if (path !== '/payment/bet') return `${path.replace('/user/', '')} ${request}`
      const bet = bets(`${said.transactionId}`)
      return `${kindOf(method, said)} ${bet} ${request} ${said.amount} ${said.currency}`
    },
  }
}

function numbered(prefix: string): (id: string) => string {
  const known = new Map<string, string>()
  return (id) => {
    const name = known.get(id) ?? `${prefix}${known.size + 1}`
    known.set(id, name)
    return name
  }
}

function kindOf(method: string, { type, resultType }: Record<string, unknown>): string {
  const operation = betOperationOf(method, type) ?? 'no operation'
  return operation === 'settle' ? `settle ${resultType}` : operation
}
