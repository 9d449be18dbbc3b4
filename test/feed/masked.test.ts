/** No token and nothing of a person can be read back from what the journal keeps of a body. */
import { describe, expect, test } from 'vitest'
import { maskedBody, maskedProfile, maskToken } from '../../src/feed/masked.ts'

const TOKEN = 'q7Kx-0123456789-SECRET'

describe('a token in a body', () => {
  test.each([
    ['as JSON is written', `{"token":"${TOKEN}","amount":10}`],
    ['with spaces', `{ "token" : "${TOKEN}" }`],
    ['twice', `{"token":"${TOKEN}","token":"${TOKEN}"}`],
    ['within an object', `{"a":{"token":"${TOKEN}"}}`],
    ['under an escaped name', `{"t\\u006fken":"${TOKEN}"}`],
    ['with an escaped character', `{"token":"\\u0071${TOKEN.slice(1)}"}`],
    ['with an escaped quote', `{"token":"\\"${TOKEN}"}`],
    ['in single quotes', `{'token':'${TOKEN}'}`],
    ['without quotes', `{token:${TOKEN}}`],
    ['in a form', `token=${TOKEN}&amount=10`],
    ['cut off', `{"token":"${TOKEN}`],
    ['escaped and cut off', `{"t\\u006fken":"${TOKEN}`],
  ])('%s: masked', (_how, body) => {
    expect(maskedBody(body)).not.toContain(TOKEN.slice(4))
  })

  test('the same token has the same mask, another one another', () => {
    expect(maskedBody(`{"token":"${TOKEN}"}`)).toBe(`{"token":"${maskToken(TOKEN)}"}`)
    expect(maskToken(TOKEN)).toMatch(/^q7Kx…[0-9a-f]{8}$/)
    expect(maskToken(`${TOKEN}!`)).not.toBe(maskToken(TOKEN))
  })

  test('all else stays as it came', () => {
    const body = '{ "amount": 10.10, "transactionId":"bet-1" , "info":"ünïcödé"}'
    expect(maskedBody(body)).toBe(body)
  })

  test('what is too long is cut, and a zero character becomes one that Postgres can store', () => {
    expect(maskedBody('x'.repeat(100_000)).length).toBeLessThan(10_000)
    expect(maskedBody('a\0b')).toBe('a\uFFFDb')
  })
})

test('of a profile the names of its members are kept, and none of their values', () => {
  const profile = { userId: 'alice', currency: 'EUR', customFields: { email: 'alice@example.com', shoeSize: 39 } }
  expect(JSON.parse(maskedProfile(JSON.stringify(profile)))).toEqual({
    ...profile,
    customFields: { email: '***', shoeSize: '***' },
  })
  expect(maskedProfile('no JSON: alice@example.com')).not.toContain('alice')
})
