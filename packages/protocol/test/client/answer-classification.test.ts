/**
 * The client classifies every answer by operation, status and kind of body (C-2, C-4, C-5). One
 * table has all combinations.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CallOutcome, classifyText } from '../../src/client/answer-classification.ts'
import type { Operation } from '../../src/operation.ts'

const BET = '5a3ff0f3-61f5-4f2e-8a0c-1d2b3c4d5e6f'
const TIME = '2031-05-16T12:00:00Z'
const betReply = { transactionId: BET, transactionTime: TIME }
const checkReply = { ...betReply, currency: 'EUR', amount: 10, type: 1 }

const GOOD = {
  place: betReply,
  settle: betReply,
  unsettle: betReply,
  rollback: betReply,
  check: checkReply,
  profile: { userId: 'ada', currency: 'EUR' },
  balance: { userId: 'ada', currency: 'EUR', amount: 10 },
} as const satisfies Record<Operation, object>
const OPERATIONS = Object.keys(GOOD) as Operation[]
const ABOUT_A_BET: Operation[] = ['place', 'settle', 'unsettle', 'rollback', 'check']

type Verdict = 'accepted' | 'unreadable_body' | 'contradictory_body' | { code: number }

interface Kind {
  what: string
  body(operation: Operation): string
  at200: Verdict
  at400: Verdict
}

const same = (what: string, text: string, at200: Verdict, at400: Verdict = at200): Kind => ({
  ...{ what, at200, at400 },
  body: () => text,
})

const KINDS: Kind[] = [
  {
    what: 'the standard reply',
    body: (operation) => JSON.stringify(GOOD[operation]),
    at200: 'accepted',
    at400: 'contradictory_body',
  },
  {
    what: 'the standard reply with more in it',
    body: (operation) => JSON.stringify({ more: { a: [1] }, ...GOOD[operation] }),
    at200: 'accepted',
    at400: 'contradictory_body',
  },
  {
    what: 'the standard reply with code 0',
    body: (operation) => JSON.stringify({ ...GOOD[operation], code: 0, message: 'ok' }),
    at200: 'accepted',
    at400: { code: 0 },
  },
  {
    what: 'half of the standard reply',
    body: (operation) => JSON.stringify(GOOD[operation]).slice(0, -9),
    at200: 'unreadable_body',
    at400: 'unreadable_body',
  },
  same('nothing', '', 'unreadable_body'),
  same('white space', ' \n', 'unreadable_body'),
  same('a page', '<html>OK</html>', 'unreadable_body'),
  same('null', 'null', 'unreadable_body'),
  same('a number', '7', 'unreadable_body'),
  same('a text', '"OK"', 'unreadable_body'),
  same('an array', '[{"code":7}]', 'unreadable_body'),
  same('two objects', '{"code":7}{"code":8}', 'unreadable_body'),
  same('an empty object', '{}', 'contradictory_body'),
  same('an object of other members', '{"status":"ok","result":{"code":7}}', 'contradictory_body'),
  ...[0, 1, 3, 7, 8, 20, 21, 99, 100, 101, -1, 99_999_999_999].map((code) =>
    same(`code ${code}`, JSON.stringify({ code, message: 'no' }), 'contradictory_body', { code }),
  ),
  same('a code without message', '{"code":7}', 'contradictory_body', { code: 7 }),
  same('a code with a message that is no text', '{"code":7,"message":{"a":1}}', 'contradictory_body', { code: 7 }),
  same('a code written 7.0', '{"code":7.0,"message":"no"}', 'contradictory_body', { code: 7 }),
  ...['"7"', '7.5', 'null', 'true', '[7]', '{}'].map((code) =>
    same(`the code ${code}`, `{"code":${code},"message":"no"}`, 'contradictory_body'),
  ),
]

const STATUSES = [100, 101, 199, 201, 202, 203, 204, 205, 206, 299, 300, 301, 302, 303, 304, 307, 308, 399]
STATUSES.push(401, 402, 403, 404, 405, 409, 410, 413, 415, 422, 429, 499, 500, 501, 502, 503, 504, 599, 600, 999, 0)

function expectVerdict(outcome: CallOutcome, verdict: Verdict): void {
  if (verdict === 'accepted') expect(outcome.kind).toBe('accepted')
  else if (typeof verdict === 'string') expect(outcome).toMatchObject({ kind: 'unknown', reason: verdict })
  else expect(outcome).toMatchObject({ kind: 'refused', ...verdict, message: expect.any(String) })
}

describe.each(OPERATIONS)('the client classifies the answer to %s', (operation) => {
  const id = ABOUT_A_BET.includes(operation) ? BET : undefined

  test.each(KINDS)('with status 200 and $what by status and body', ({ body, at200 }) => {
    expectVerdict(classifyText(operation, 200, body(operation), id), at200)
  })

  test.each(KINDS)('with status 400 and $what by status and body', ({ body, at400 }) => {
    expectVerdict(classifyText(operation, 400, body(operation), id), at400)
  })

  test('as unknown for any other status, with any body', () => {
    for (const status of STATUSES) {
      for (const { body } of KINDS) {
        const outcome = classifyText(operation, status, body(operation), id)
        expect(outcome).toEqual({ kind: 'unknown', reason: 'status', detail: `HTTP status ${status}` })
      }
    }
  })

  test('as contradictory for status 200 when a member of the standard reply is missing or has another type', () => {
    for (const name of Object.keys(GOOD[operation])) {
      for (const value of [undefined, null, {}, [], true, '']) {
        const body = JSON.stringify({ ...GOOD[operation], [name]: value })
        expectVerdict(classifyText(operation, 200, body, id), 'contradictory_body')
      }
    }
  })

  test('for any status and text, and never throws', () => {
    const text = fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.constantFrom(200, 400)), text, (status, body) => {
        const { kind } = classifyText(operation, status, body, id)
        expect(['accepted', 'refused', 'unknown']).toContain(kind)
        if (status !== 200) expect(kind).not.toBe('accepted')
        if (status !== 400) expect(kind).not.toBe('refused')
      }),
    )
  })
})

describe('an acceptance with the code of a rejection is contradictory (D-5):', () => {
  const kindOf = (operation: Operation, code: unknown) =>
    classifyText(operation, 200, JSON.stringify({ ...GOOD[operation], code }), BET).kind

  test.each<Operation>(['place', 'settle', 'unsettle', 'rollback'])('%s', (operation) => {
    for (const code of [7, 100, 1, -1, 0.5, '7', '', 'OK', true, false, [], {}])
      expect(kindOf(operation, code), JSON.stringify(code)).toBe('unknown')
    for (const code of [undefined, null, 0, -0, '0']) expect(kindOf(operation, code), String(code)).toBe('accepted')
  })

  test('code 8 in the answer to a Rollback is accepted, because the bet is cancelled', () => {
    expect(kindOf('rollback', 8)).toBe('accepted')
    expect(kindOf('settle', 8)).toBe('unknown')
  })

  test.each<Operation>(['profile', 'balance', 'check'])(
    'the code in the answer to %s is ignored, because the call moves no money',
    (operation) => {
      expect(kindOf(operation, 7)).toBe('accepted')
    },
  )
})

describe.each(ABOUT_A_BET)('the answer to %s', (operation) => {
  test.each(['6a3ff0f3-61f5-4f2e-8a0c-1d2b3c4d5e6f', BET.toUpperCase(), `${BET} `, BET.slice(0, 35)])(
    'with status 200 is contradictory when it names the bet %s',
    (transactionId) => {
      const body = JSON.stringify({ ...GOOD[operation], transactionId })
      expectVerdict(classifyText(operation, 200, body, BET), 'contradictory_body')
    },
  )
})

describe('the transactionTime of an acceptance (W-13)', () => {
  const kindOf = (transactionTime: string) =>
    classifyText('place', 200, JSON.stringify({ transactionId: BET, transactionTime }), BET).kind

  test.each([
    '2031-05-16T12:00:00Z',
    '2031-05-16T12:00:00.123456Z',
    '2031-05-16T14:00:00+02:00',
    '2031-05-16T12:00:00+0000', // PHP's DATE_ISO8601
    '2031-05-16T12:00:00+00',
    '2031-05-16T12:00:00', // Python: datetime.isoformat() of a UTC time without a zone
    '2031-05-16T12:00:00.1234567', // .NET: a time of unspecified kind
    '2031-05-16T12:00:00,5',
    '2031-05-16T12:00',
  ])('can have the form %s, with or without an offset', (time) => {
    expect(kindOf(time)).toBe('accepted')
  })

  test.each([
    '2031-05-16',
    '2031-05-16 12:00:00',
    '16.05.2031 12:00:00',
    '2031-13-16T12:00:00Z',
    '2031-05-32T12:00:00Z',
    '2031-05-16T24:00:01Z',
    '2031-05-16T12:60:00Z',
    '2031-05-16T12:00:00 Z',
    '2031-05-16T12:00:00Z, or so',
    'now',
    '1937217600',
  ])('cannot be %s, and other text is contradictory', (time) => {
    expect(kindOf(time)).toBe('unknown')
  })
})

test('a profile with fields that break the interface is contradictory', () => {
  const broken = [
    { userId: 'x'.repeat(65) },
    { currency: 'EU' },
    { currencies: 'EUR' },
    { isTest: 'no' },
    { operatorUser: 'with space' },
    { customFields: { operatorUser: 'x'.repeat(65) } },
    { customFields: { birthday: '1.1.2000' } },
    { customFields: { gender: 'unknown' } },
  ]
  for (const over of broken) {
    expectVerdict(classifyText('profile', 200, JSON.stringify({ ...GOOD.profile, ...over })), 'contradictory_body')
  }
})
