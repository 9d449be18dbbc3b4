/** The first answer of a wallet under development is explained, with a probable remedy. */
import type { ReceivedAnswer } from '@purser/conformance/http-exchange'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { describe, expect, test } from 'vitest'
import { readFirstCall } from '../../../src/sandbox/dev/players/first-call.ts'

const request = { method: 'POST', url: 'http://127.0.0.1:3000/user/profile', headers: {}, body: '{}' }
const answered = (status: number, body: string): ReceivedAnswer => ({
  ...{ kind: 'some', status, contentType: '', body },
})
const explain = (answer: ReceivedAnswer) => {
  const first = readFirstCall({ request, answer }, 'token-abcd', STANDARD_SCALES)
  return first.kind === 'problem' ? first.sentence : first.profile
}

describe('the explanation of the first answer', () => {
  test('returns the player of a profile, with the decimals of the currency', () => {
    expect(explain(answered(200, '{"userId":"ann","currency":"KWD"}'))).toEqual({
      ...{ userId: 'ann', currency: 'KWD', scale: 3 },
    })
  })

  test.each([
    ['a path that does not exist', answered(404, 'Cannot POST /user/profile'), /no such path.*\/user\/profile.*prefix/],
    ['a page', answered(200, '<!doctype html><title>My shop</title>'), /a page of HTML, not with JSON/],
    ['a redirect', answered(302, ''), /redirect \(HTTP status 302\).*final address/],
    ['an access check', answered(401, 'Unauthorized'), /did not let the caller in.*--header/],
    ['a failure', answered(500, '{"error":"x is undefined"}'), /failed on POST .*HTTP status 500.*x is undefined/],
    ['a refused signature', answered(400, '{"code":1,"message":"bad"}'), /refused the signature.*Compare --secret/],
    ['an unknown token', answered(400, '{"code":3}'), /does not accept the token "…abcd" \(code 3\)/],
    ['another refusal', answered(400, '{"code":9,"message":"blocked"}'), /code 9, "blocked"/],
    ['a profile without currency', answered(200, '{"userId":"ann"}'), /has no text currency/],
    ['an unknown currency', answered(200, '{"userId":"ann","currency":"PTS"}'), /PURSER_CURRENCIES=PTS:2/],
    ['text', answered(200, 'ok'), /"ok", which is no JSON object/],
    ['an empty answer', answered(200, ''), /with an empty body, which is no JSON object/],
    ['no answer', { kind: 'none', why: 'the connection was closed' } as const, /gave no answer: the connection/],
  ])('names %s and what helps', (_what, answer, sentence) => {
    expect(explain(answer)).toMatch(sentence)
  })
})
