/** No token and nothing of a person can be read back from what the journal keeps of a body. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseRecords, type StoredCall } from '../../src/feed/journal-record.ts'
import { redactAnswer, redactBody, redactProfile, redactToken } from '../../src/feed/journal-redaction.ts'
import { JournalSegment } from '../../src/feed/journal-segment.ts'

const TOKEN = 'q7Kx-0123456789-SECRET'

/** What is kept of a call with this body. */
function kept(body: string) {
  const chunk = new JournalSegment()
  const times = { ageMs: 3, arrivalMs: 1, workMs: 2 }
  const names = { source: '127.0.0.1', operation: 'place', outcome: 'accepted', secret: 0, status: 200 }
  chunk.add({ ...names, ...times, body: Buffer.from(body), answer: '{}' }, 1_000)
  return parseRecords(chunk.raw())[0] as StoredCall
}

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
    expect(redactBody(body)).not.toContain(TOKEN.slice(4))
  })

  test('the same token has the same mask, another one another', () => {
    expect(redactBody(`{"token":"${TOKEN}"}`)).toBe(`{"token":"${redactToken(TOKEN)}"}`)
    expect(redactToken(TOKEN)).toMatch(/^q7Kx…[0-9a-f]{8}$/)
    expect(redactToken(`${TOKEN}!`)).not.toBe(redactToken(TOKEN))
  })

  test('all else stays as it came', () => {
    const body = '{ "amount": 10.10, "transactionId":"bet-1" , "info":"ünïcödé"}'
    expect(redactBody(body)).toBe(body)
  })

  test('what is too long is cut', () => {
    expect(redactBody('x'.repeat(100_000)).length).toBeLessThan(10_000)
  })
})

describe('more that a stranger may send', () => {
  test.each([
    ['under another name of a token', `{"token":"aaaaaaaaaaaa","accessToken":"${TOKEN}"}`],
    ['in capitals', `{"token":"aaaaaaaaaaaa","TOKEN":"${TOKEN}"}`],
    ['as XML', `<token>${TOKEN}</token>`],
    ['within a text, with escapes', `{"token":"a","info":"{\\"token\\":\\"${TOKEN}\\"}"}`],
  ])('%s: masked in the body, whichever way it goes', (_how, body) => {
    expect(kept(body).body).not.toContain(TOKEN.slice(4))
  })

  test('as a platform writes it: masked in its place, and the hash is of what came', () => {
    const body = `{"requestId":"1","token":"${TOKEN}","info":"ünïcödé"}`
    expect(kept(body)).toMatchObject({
      body: body.replace(TOKEN, redactToken(TOKEN)),
      bodyBytes: Buffer.byteLength(body),
      bodySha256: createHash('sha256').update(body).digest('hex'),
    })
  })

  test('without one: as it came, to the last byte', () => {
    const body = '{ "amount": 10.10, "transactionId":"bet-1" , "info":"ünïcödé\0"}'
    expect(kept(body)).toMatchObject({ body, bodySha256: createHash('sha256').update(body).digest('hex') })
  })

  test('a body that is nested too deeply for JSON.stringify', () => {
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
])('an answer that repeats the token %s: masked', (_how, answer) => {
  expect(redactAnswer(answer, TOKEN)).not.toContain(TOKEN.slice(4))
})

test('of a profile the names of its members are kept, and none of their values', () => {
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
