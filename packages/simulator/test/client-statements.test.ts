import {
  createMessageReader,
  encodeMessage,
  encodeSimpleQuery,
  type PostgresMessage,
} from 'purser/core/database/postgres/postgres-messages'
import { expect, test } from 'vitest'
import {
  createStatementReader,
  readErrorCode,
  readQueryText,
  toFatalError,
  toStatementResult,
  withCode,
} from '../src/postgres/wire/client-statements.ts'

const message = (type: string, content = '') => encodeMessage(type, Buffer.from(content))

function readMessages(...messages: Buffer[]): PostgresMessage[] {
  return createMessageReader('has a type')(Buffer.concat(messages))
}

test('a statement is a simple query, or everything up to a Sync with its prepared name', () => {
  const parts = [message('P', 'lock_bets\0select 1\0\0\0'), message('B', '\0lock_bets\0\0'), message('E'), message('S')]
  const collect = createStatementReader()
  const sent = readMessages(...parts, encodeSimpleQuery('commit')).flatMap((one) => collect(one) ?? [])
  expect(sent.map(({ name }) => name)).toEqual(['lock_bets', 'commit'])
  expect(sent[0]?.bytes.equals(Buffer.concat(parts))).toBe(true)
  expect(sent.map(readQueryText)).toEqual([undefined, 'commit'])
})

test('the code of a Postgres error can be replaced, whatever its other fields are', () => {
  const error = { type: 'E', bytes: message('E', 'SERROR\0VERROR\0C57014\0MCanceled\0\0') }
  expect([readErrorCode(error), readErrorCode(withCode(error, '55P03'))]).toEqual(['57014', '55P03'])
  expect(readErrorCode({ type: 'E', bytes: toFatalError('25P03', 'ended') })).toBe('25P03')
})

test('the result of a statement has its tags, errors and rows', () => {
  const answer = [message('D'), message('D'), message('C', 'SELECT 2\0'), message('Z', 'T')]
  expect(toStatementResult(readMessages(...answer))).toEqual({ word: 'SELECT 2', rows: 2 })
})
