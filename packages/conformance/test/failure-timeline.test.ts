/**
 * The timeline of a failed case shows the money that a call moved only where the kit has read the
 * balance.
 */

import { describeMoment } from '@purser/timeline/moment-text'
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../src/http-exchange.ts'
import { buildCaseHistory, renderFailureTimeline } from '../src/reports/failure-timeline.ts'

const START = Date.parse('2031-05-16T18:00:00Z')
let clock = 0

function exchange(what: string, path: string, body: object, answer: Exchange['answer'], isLook = false): Exchange {
  clock += 10
  return {
    what,
    request: { method: 'POST', url: `http://127.0.0.1:9${path}`, headers: {}, body: JSON.stringify(body) },
    answer,
    startedAt: new Date(START + clock),
    durationMs: 2,
    ...(isLook && { isLook }),
  }
}
const json = (status: number, body: string) =>
  ({ kind: 'some', status, contentType: 'application/json', body }) as const
const place = (what: string, answer: Exchange['answer']) =>
  exchange(what, '/payment/bet', { type: 1, transactionId: what }, answer)
const look = (amount: string, token = 'of A') =>
  exchange('Balance', '/user/balance', { token }, json(200, `{"amount":${amount},"currency":"EUR"}`), true)
const timelineOf = (...exchanges: Exchange[]) => buildCaseHistory(exchanges).moments.map(describeMoment)

describe('the timeline of a failed case', () => {
  test('shows what each call moved, as the balance reports it', () => {
    const exchanges = [
      look('1000.5'),
      place('Place bet X 100', json(200, '{}')),
      look('900.50'),
      place('Place bet X 100 again', json(400, '{"code":8}')),
      look('900.50'),
      place('Place bet Y 1', { kind: 'none', why: 'no answer within 8000 ms' }),
      look('899.5'),
    ]
    expect(timelineOf(...exchanges)).toEqual([
      'Place bet X 100: accepted, 200, 2 ms, moved −100.0',
      'Place bet X 100 again: rejected, 400 code 8, 2 ms',
      'Place bet Y 1: no answer, 2 ms, moved −1.0',
    ])
    const [picture = ''] = renderFailureTimeline(exchanges)
    expect(picture).toContain('no change')
    expect(picture).toContain('1,000.5')
    expect(picture).toContain('tl-call tl-unanswered tl-selected')
  })
  test('shows of concurrent calls what they moved together', () => {
    expect(timelineOf(look('10'), place('One', json(200, '{}')), place('Two', json(200, '{}')), look('8'))).toEqual([
      'One: accepted, 200, 2 ms',
      'Two: accepted, 200, 2 ms, moved by 2 calls −2',
    ])
  })
  test('keeps currencies apart, and shows no balance that was not read', () => {
    expect(
      timelineOf(look('10'), look('99', 'of B'), place('One', json(200, '{}')), look('98', 'of B'), look('9')),
    ).toEqual(['One: accepted, 200, 2 ms, moved −1'])
    const [picture = ''] = renderFailureTimeline([place('One', json(500, 'oops'))])
    expect(picture).not.toContain('Balance')
    expect(picture).toContain('no valid response, 500')
    expect(renderFailureTimeline([])).toEqual([])
  })
  test('reads an answer of the wallet as an amount only if it is one', () => {
    expect(timelineOf(look('"<b>"'), look('1e3'), place('One', json(200, '{"code":"<i>"}')))).toEqual([
      'One: accepted, 200 code <i>, 2 ms',
    ])
    const [picture = ''] = renderFailureTimeline([place('<script>', json(200, '{}'))])
    expect(picture).toContain('&lt;script&gt;')
    expect(picture).not.toContain('<script')
  })
})
