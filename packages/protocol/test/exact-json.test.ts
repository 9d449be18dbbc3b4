/** JSON numbers that a double cannot hold are parsed exactly (M-1, M-2, W-3). */
import { describe, expect, test } from 'vitest'
import { describeMemberFault } from '../src/call-fault.ts'
import { isTooDeep, MAX_DEPTH, parseJson, wouldRound } from '../src/values/exact-json.ts'

describe('a number that a double cannot hold is parsed exactly:', () => {
  test.each([
    ['a member of the message', '{"amount":1e-400}', { amount: { written: '1e-400' } }],
    ['the negative zero', '{"bonusId": -0 }', { bonusId: { written: '-0' } }],
    ['a float beyond all doubles', '{"coefficient":1e400}', { coefficient: '1e400' }],
    ['a member that only describes', '{"info":1e400,"bonusAmount":-0}', { info: '1e400', bonusAmount: '-0' }],
    ['deeper in', '{"metadata":[{"stage":1e400}]}', { metadata: [{ stage: '1e400' }] }],
    ['in a list', '[1,12345678901234567890]', [1, { written: '12345678901234567890' }]],
    ['a float by name', '{"coefficient":0.10000000000000000001}', { coefficient: 0.1 }],
    ['a float by a name with an escape', '{"co\\u0065fficient" : 1e-400}', { coefficient: 0 }],
    ['in a list that is a float by name', '{"a":{"coefficient":[1e-400]}}', { a: { coefficient: ['1e-400'] } }],
    ['behind the name of a float that is a text', '{"a":["coefficient",1e-400]}', { a: ['coefficient', '1e-400'] }],
    [
      'behind a text with quotes and brackets',
      '{"a":"\\"[{,:1e400","b":1e400}',
      { a: '"[{,:1e400', b: { written: '1e400' } },
    ],
  ])('%s', (_where, text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  test.each([
    ['{"amount":0.123456789012345}', false],
    ['{"amount":-0.0}', false], // a payout of -0.0 is 0 (D-3)
    ['{"amount":-1e-400}', true],
    ['{"amount":1e22}', false],
    ['{"amount":0.1234567890123456}', true], // fits a double, but is not exact as money
    ['{"other":0.1234567890123456}', false],
    ['{"other":9007199254740993}', true],
    ['{"other":5e-324}', false],
    ['{"other":0e400}', false],
    ['{"other":"1e400"}', false],
  ])('%s would be rounded by a double: %s', (text, isRounded) => {
    expect(wouldRound(text)).toBe(isRounded)
  })
})

describe('the error about an amount shows', () => {
  const faultIn = (text: string) => describeMemberFault('amount', parseJson(text) as object)

  test('the digits that no double can hold', () => {
    expect(faultIn('{"amount":12345678901234567890}')).toContain('12345678901234567890 has more than 15')
  })

  test.each(['{"amount":{"written":"12345678901234567890"}}', '{"amount":{"written":"anything"},"other":1e400}'])(
    'an object if the caller wrote an object: %s',
    (text) => {
      expect(faultIn(text)).toMatch(/^amount is an object;/)
    },
  )
})

test('JSON is accepted at the maximum depth, and rejected one level deeper', () => {
  const nested = (levels: number) => JSON.parse('[{"a":'.repeat(levels / 2) + 0 + '}]'.repeat(levels / 2))
  expect(isTooDeep(nested(MAX_DEPTH))).toBe(false)
  expect(isTooDeep([nested(MAX_DEPTH)])).toBe(true)
  expect(isTooDeep({ a: nested(MAX_DEPTH) })).toBe(true)
})
