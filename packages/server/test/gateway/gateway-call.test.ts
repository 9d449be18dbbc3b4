import { expect, test } from 'vitest'
import { parseGatewayCall } from '../../src/gateway/wire/gateway-call.ts'

const tokenIn = (token: unknown) => {
  const body = Buffer.from(JSON.stringify({ userId: 'player', token }))
  return parseGatewayCall('balance', 'POST', body).token
}

test.each([10, 64])('the gateway reads a token of %d characters', (length) => {
  expect(tokenIn('t'.repeat(length))).toBe('t'.repeat(length))
})

test.each([['t'.repeat(9)], ['t'.repeat(65)], [1_234_567_890], [null]])(
  'the gateway rejects %j as a token',
  (token) => {
    expect(tokenIn(token)).toBeUndefined()
  },
)
