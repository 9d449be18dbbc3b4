import { describe, expect, test } from 'vitest'
import type { NetworkAnswer, NetworkRequest } from '../src/market/network/simulated-network.ts'
import { type GatewayWatch, watchGateway } from '../src/market/oracle/gateway-watch.ts'

const names = { bet: (id: string) => id, describe: () => '', subject: () => '' }
const ANNA = { wallet: 'wallet', operatorUser: 'anna', userId: 'id 1', token: 't 1', operatorToken: 'hers' } as const

const request = (method: string, said: object): NetworkRequest => ({
  ...{ method, path: '/payment/bet', headers: {} },
  body: Buffer.from(JSON.stringify({ requestId: 'r', transactionId: 'bet', userId: 'id 1', ...said })),
})
const answer = (status: number, said: object = {}): NetworkAnswer => ({
  status,
  body: Buffer.from(JSON.stringify(said)),
})
const PLACE = request('POST', { type: 1, token: 't 1' })
const SETTLE = request('PUT', { type: 2 })

/** Anna's token has been exchanged, and one call has reached the gateway. */
function met(call: NetworkRequest, then: (gateway: GatewayWatch, onAnswer: (answer: NetworkAnswer) => void) => void) {
  const gateway = watchGateway(names)
  gateway.exchanged(ANNA)
  then(gateway, gateway.arrives(call))
  return gateway.complaints()
}

describe('the check of a gateway', () => {
  test('accepts the answers of the operator, truncated ones too, and failures', () => {
    expect(
      met(PLACE, (gateway, onAnswer) => {
        gateway.reaches('wallet', request('POST', { type: 1, token: 'hers' }))
        gateway.hears(PLACE, { status: 200, body: Buffer.from('{"transac') })
        onAnswer({ status: 200, body: Buffer.from('{"transac') })
        onAnswer(answer(400, { code: 100 }))
      }),
    ).toEqual([])
    expect(met(SETTLE, (_, onAnswer) => onAnswer(answer(500)))).toEqual([])
  })

  test('reports an answer that no operator gave (G-5)', () => {
    expect(met(SETTLE, (_, onAnswer) => onAnswer(answer(200)))).toEqual([
      'bet: the gateway answers 200, and its operator has not (G-5)',
    ])
    const refused = met(SETTLE, (gateway, onAnswer) => {
      gateway.hears(SETTLE, answer(400, { code: 20 }))
      onAnswer(answer(400, { code: 5 }))
    })
    expect(refused).toEqual(['bet: the gateway answers 400, and its operator has not (G-5)'])
  })

  test('reports an operator’s answer about the gateway that is forwarded to the platform (D-7)', () => {
    for (const refusal of [answer(400, { code: 1 }), answer(401), answer(302)])
      expect(
        met(SETTLE, (gateway, onAnswer) => {
          gateway.hears(SETTLE, refusal)
          onAnswer(refusal)
        }),
      ).toEqual([`bet: the gateway answers ${refusal.status}, as if the platform had another secret (D-7)`])
  })

  test('reports another operator, another token and another id (G-1, G-2)', () => {
    const complaints = met(PLACE, (gateway) => {
      gateway.reaches('other wallet', request('POST', { type: 1, token: 'a hash' }))
      gateway.exchanged({ ...ANNA, userId: 'id 2' })
    })
    expect(complaints).toEqual([
      'bet: a call about a player of the wallet comes to the other wallet (G-1)',
      'bet: a token of the gateway does not become the one that the operator gave (G-2)',
      'anna of the wallet has another id at the gateway than before',
    ])
  })
})
