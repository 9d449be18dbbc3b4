import { expect, test } from 'vitest'
import {
  type ClientStatement,
  createMessageReader,
  createStatementReader,
  type PostgresMessage,
  readErrorCode,
  readQueryText,
  toFatalError,
  toQuery,
  toStatementResult,
  withCode,
} from '../../src/simulator/postgres/wire/postgres-messages.ts'

function message(type: string, content = ''): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(4 + content.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), head, Buffer.from(content, 'latin1')])
}

const STARTUP = message('', '\0\x03\0\0user\0purser\0\0')

function inPieces(data: Buffer, size: number): PostgresMessage[] {
  const read = createMessageReader('has no type')
  return Array.from({ length: Math.ceil(data.length / size) }, (_, i) =>
    read(data.subarray(i * size, (i + 1) * size)),
  ).flat()
}

test('the parser finds the same Postgres messages in chunks of any size', () => {
  const all = [STARTUP, message('Q', 'begin\0'), message('S'), message('B', '\0lock_bets\0\0')]
  for (let size = 1; size < 30; size++) {
    const found = inPieces(Buffer.concat(all), size)
    expect(found.map(({ type }) => type)).toEqual(['', 'Q', 'S', 'B'])
    expect(found.every(({ bytes }, i) => bytes.equals(all[i] as Buffer))).toBe(true)
  }
})

test('the parser combines a text, and everything up to a Sync, into a statement with its prepared name', () => {
  const parts = [message('P', 'lock_bets\0select 1\0\0\0'), message('B', '\0lock_bets\0\0'), message('E'), message('S')]
  const collect = createStatementReader()
  const sent = inPieces(Buffer.concat([STARTUP, ...parts, message('Q', 'commit\0')]), 7)
    .slice(1)
    .flatMap((one) => collect(one) ?? [])
  expect(sent.map(({ name }) => name)).toEqual(['lock_bets', 'commit'])
  expect(sent[0]?.bytes.equals(Buffer.concat(parts))).toBe(true)
  expect(sent.map(readQueryText)).toEqual([undefined, 'commit'])
})

test('the text of a Postgres message can be replaced', () => {
  const sent: ClientStatement = { bytes: toQuery('set lock_timeout = 0'), name: '' }
  expect(readQueryText(sent)).toBe('set lock_timeout = 0')
  expect(sent.bytes.readUInt32BE(1)).toBe(sent.bytes.length - 1)
})

test('the code of a Postgres error can be replaced, whatever its other fields are', () => {
  const error = { type: 'E', bytes: message('E', 'SERROR\0VERROR\0C57014\0MCanceled\0\0') }
  expect([readErrorCode(error), readErrorCode(withCode(error, '55P03'))]).toEqual(['57014', '55P03'])
  expect(readErrorCode({ type: 'E', bytes: toFatalError('25P03', 'ended') })).toBe('25P03')
})

test('the result of a statement has its tags, errors and rows', () => {
  const answer = [message('D'), message('D'), message('C', 'SELECT 2\0'), message('Z', 'T')]
  expect(toStatementResult(inPieces(Buffer.concat([STARTUP, ...answer]), 100))).toEqual({ word: 'SELECT 2', rows: 2 })
})
