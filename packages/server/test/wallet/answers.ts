// The expected form of answers on the partner wire; every check of an answer in these
// tests uses it.
import { expect } from 'vitest'

export interface Answer {
  status: number
  body: unknown
}

/** ISO 8601 in UTC, with Z. */
const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

export function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

/** 200 for success, otherwise the code of the rejection, as in the tables. */
export function answered(answer: Answer): unknown {
  return answer.status === 400 ? member(answer.body, 'code') : answer.status
}

/** HTTP 400 with exactly an integer code and a message. */
export function expectRefused(answer: Answer, code: number): void {
  expect(answer).toMatchObject({ status: 400, body: { code } })
  expect(answer.body).toEqual({ code, message: expect.stringMatching(/\S/) })
}

/** 200 with exactly the bet's own id and a UTC time. */
export function expectDone(answer: Answer, betId: string): void {
  expect(answer).toMatchObject({ status: 200, body: { transactionId: betId } })
  expect(answer.body).toEqual({ transactionId: betId, transactionTime: expect.stringMatching(UTC_TIME) })
}

/** `answers` is 200 or the code of a rejection, as in the tables. */
export function expectAnswer(answer: Answer, answers: number, betId: string): void {
  if (answers === 200) expectDone(answer, betId)
  else expectRefused(answer, answers)
}

export function timeOf(answer: Answer): string {
  const time = member(answer.body, 'transactionTime')
  if (typeof time !== 'string') throw new Error(`an answer without transactionTime: ${JSON.stringify(answer)}`)
  return time
}

/**
 * Converts a decimal string to millionths, so that sums and differences in the tests are exact too.
 */
export function millionths(amount: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount) ?? []
  if (whole === '') throw new Error(`not a decimal with up to six places: ${amount}`)
  return BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction.padEnd(6, '0')}`)
}
