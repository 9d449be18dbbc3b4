/**
 * The reply codes are the same in the code, in the reference, in the OpenAPI document and in the
 * published interface.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REPLY_CODES, ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = read('docs/reference/codes.md')
const OPENAPI: Document = JSON.parse(read('packages/server/openapi/wallet.json'))

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { description: string }> }>>
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** The cells of each row of a generated table. */
function rowsOf(name: string): string[][] {
  const [, rest = ''] = PAGE.split(`<!-- generated: ${name} -->`)
  const lines = rest.slice(0, rest.indexOf('<!-- end -->')).trim().split('\n').slice(2)
  return lines.map((line) => line.slice(2, -2).split(' | '))
}

/** Code → the calls that it answers, from the reference page. */
function answersOf(): Map<number, string> {
  return new Map(rowsOf('reply codes').map(([code = '', , answers = '']) => [Number(code), answers]))
}

describe('the reply codes', () => {
  const numbers = Object.values(REPLY_CODES).map(({ code }) => code)

  test('are the published numbers, each once', () => {
    expect(numbers).toEqual([1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 21, 100])
  })

  test('have the messages of the interface', () => {
    const messages = new Map(Object.values(REPLY_CODES).map(({ code, message }) => [code, message]))
    expect(messages.get(7)).toBe('Not enough money')
    expect(messages.get(8)).toBe('The bet has already been processed')
    expect(messages.get(20)).toBe('Recalculation transaction is blocked')
    expect(messages.get(100)).toBe('System error')
  })

  test('are exactly those of the reference, with the same messages', () => {
    const shown = rowsOf('reply codes').map(([code, message]) => ({ code: Number(code), message }))
    expect(shown).toEqual(Object.values(REPLY_CODES))
  })

  test('answer the calls that R-3 lets them answer', () => {
    const answers = answersOf()
    for (const code of [7, 9, 11, 12, 13, 14, 15, 16]) expect(answers.get(code), `code ${code}`).toBe('Place bet')
    for (const code of [20, 21]) expect(answers.get(code), `code ${code}`).toBe('Settle, Unsettle')
    expect(answers.get(8)).toBe('Place bet, Rollback')
    for (const code of [1, 5, 100]) expect(answers.get(code), `code ${code}`).toBe('every call')
  })

  test('are all used by the wallet, except for 10, which a late wallet cannot answer in time', () => {
    const folder = join(ROOT, 'packages/server/src/wallet')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const source = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
    const unused = Object.keys(REPLY_CODES).filter((name) => !source.includes(`'${name}'`))
    expect(unused).toEqual(['timed_out'])
    expect(answersOf().get(10)).toBe('none')
  })
})

describe('the OpenAPI document lists for', () => {
  const CALLS = {
    placeBet: ['Place bet'],
    changeBet: ['Settle', 'Unsettle', 'Rollback'],
    readProfile: ['User data'],
    readBalance: ['Balance'],
    checkBet: ['Check'],
  }

  test.each(Object.entries(CALLS))('%s the codes of the reference', (operationId, calls) => {
    const operation = Object.values(OPENAPI.paths)
      .flatMap(Object.values)
      .find((found) => found.operationId === operationId)
    const listed = [...(operation?.responses[400]?.description ?? '').matchAll(/^- `(\d+)`/gm)].map(([, code]) =>
      Number(code),
    )
    const expected = [...answersOf()].filter(
      ([, answers]) => answers === 'every call' || calls.some((call) => answers.split(', ').includes(call)),
    )
    const isPlace = operationId === 'placeBet'
    // An internal failure is 400 with code 100 for Place bet, HTTP 500 for other calls.
    expect(listed).toEqual(expected.map(([code]) => code).filter((code) => code !== 100 || isPlace))
    expect(operation?.responses).toHaveProperty(isPlace ? '400' : '500')
    expect('500' in (operation?.responses ?? {})).toBe(!isPlace)
  })
})

describe('the rollback reasons', () => {
  test('are those of the interface', () => {
    expect(Object.keys(ROLLBACK_REASONS).map(Number)).toEqual([8, 9, 10, 32, 50, 52, 110, 111, 112, 113, 114, 115])
  })

  test('are exactly those of the reference, with the same words', () => {
    const shown = rowsOf('rollback reasons').map(([code, reason]) => [code, reason])
    expect(shown).toEqual(Object.entries(ROLLBACK_REASONS))
  })
})
