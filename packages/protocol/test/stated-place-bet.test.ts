import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { placeMessage } from '../../server/test/support/wire.ts'
import { StatedPlaceBetSchema } from '../src/stated-place-bet.ts'

const schema = Compile(StatedPlaceBetSchema)
const message = { userId: 'player', token: 'a-token-of-a-player', requestId: 'a-request-id' }

test.each([
  [0, true],
  [1.5, true],
  [null, true],
  [-0.01, false],
])('the schema of a Place bet allows a bonus amount of %j: %s', (bonusAmount, isAllowed) => {
  expect(schema.Check(placeMessage({ ...message, bonusAmount }))).toBe(isAllowed)
})
