/** The journal stores the body of a call without its token and without personal data. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseRecords, type StoredCall } from '../../src/core/call-journal/journal-record.ts'
import { redactAnswer, redactBody, redactProfile, redactToken } from '../../src/core/call-journal/journal-redaction.ts'
import { JournalSegment } from '../../src/core/call-journal/journal-segment.ts'

const TOKEN = 'q7Kx-0123456789-SECRET'

function kept(body: string) {
  const chunk = new JournalSegment()
  const times = { ageMs: 3, arrivalMs: 1, workMs: 2 }
  const names = { source: '127.0.0.1', operation: 'place', outcome: 'accepted', secret: 0, status: 200 }
  chunk.add({ ...names, ...times, body: Buffer.from(body), answer: '{}' }, 1_000)
  return parseRecords(chunk.raw())[0] as StoredCall
}

describe('a token in a body is redacted', () => {
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
  ])('%s', (_how, body) => {
    expect(redactBody(body)).not.toContain(TOKEN.slice(4))
  })

  test('with the same mask for the same token, and another mask for another token', () => {
    expect(redactBody(`{"token":"${TOKEN}"}`)).toBe(`{"token":"${redactToken(TOKEN)}"}`)
    expect(redactToken(TOKEN)).toMatch(/^q7Kx…[0-9a-f]{8}$/)
    expect(redactToken(`${TOKEN}!`)).not.toBe(redactToken(TOKEN))
  })

  test('and everything else stays as received', () => {
    const body = '{ "amount": 10.10, "transactionId":"bet-1" , "info":"ünïcödé"}'
    expect(redactBody(body)).toBe(body)
  })

  test('in a body that is truncated because it is too long', () => {
    expect(redactBody('x'.repeat(100_000)).length).toBeLessThan(10_000)
  })
})

describe('a body from an unauthenticated caller', () => {
  test.each([
    ['under another name of a token', `{"token":"aaaaaaaaaaaa","accessToken":"${TOKEN}"}`],
    ['in capitals', `{"token":"aaaaaaaaaaaa","TOKEN":"${TOKEN}"}`],
    ['as XML', `<token>${TOKEN}</token>`],
    ['within a text, with escapes', `{"token":"a","info":"{\\"token\\":\\"${TOKEN}\\"}"}`],
  ])('with a token %s is redacted', (_how, body) => {
    expect(kept(body).body).not.toContain(TOKEN.slice(4))
  })

  test('in the form of a platform is redacted in place, and the hash covers the received bytes', () => {
    const body = `{"requestId":"1","token":"${TOKEN}","info":"ünïcödé"}`
    expect(kept(body)).toMatchObject({
      body: body.replace(TOKEN, redactToken(TOKEN)),
      bodyBytes: Buffer.byteLength(body),
      bodySha256: createHash('sha256').update(body).digest('hex'),
    })
  })

  test('without a token is stored unchanged, to the last byte', () => {
    const body = '{ "amount": 10.10, "transactionId":"bet-1" , "info":"ünïcödé\0"}'
    expect(kept(body)).toMatchObject({ body, bodySha256: createHash('sha256').update(body).digest('hex') })
  })

  test('that is nested too deeply for JSON.stringify is replaced by a note', () => {
    expect(redactBody(`{"a":"\\n","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)).toBe(
      '(nested too deeply: not kept)',
    )
    expect(redactProfile(`{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, undefined)).toBe('(no profile: not kept)')
  })
})

test.each([
  ['as a member', `{"code":5,"message":"bad","request":{"token":"${TOKEN}"}}`],
  ['in a sentence', `{"code":3,"message":"no session ${TOKEN}"}`],
  ['escaped', `{"code":5,"message":"{\\"token\\":\\"${TOKEN}\\"}"}`],
])('an answer that repeats the token %s is redacted', (_how, answer) => {
  expect(redactAnswer(answer, TOKEN)).not.toContain(TOKEN.slice(4))
})

test('the journal stores the names of a profile’s members, and none of their values', () => {
  const profile = { userId: 'alice', currency: 'EUR', customFields: { email: 'alice@example.com', shoeSize: 39 } }
  expect(JSON.parse(redactProfile(JSON.stringify(profile), undefined))).toEqual({
    ...profile,
    customFields: { email: '***', shoeSize: '***' },
  })
  const odd = { userId: 'alice', firstName: 'Ann', email: 'ann@example.com', customFields: ['Ann'] }
  expect(JSON.parse(redactProfile(JSON.stringify(odd), undefined))).toEqual({
    ...{ userId: 'alice', firstName: '***', email: '***', customFields: '***' },
  })
  expect(redactProfile('no JSON: alice@example.com', undefined)).not.toContain('alice')
})
