/** Postgres' protocol as the proxy of the locks reads it: messages in any pieces, what belongs to one statement, what an error is called. */
import { expect, test } from 'vitest'
import {
  cameTo,
  codeOf,
  fatal,
  type Message,
  messagesOf,
  queryOf,
  type Sent,
  statementsOf,
  textOfQuery,
  withCode,
} from '../../src/simulate/locks/messages.ts'

function message(type: string, content = ''): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(4 + content.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), head, Buffer.from(content, 'latin1')])
}

const STARTUP = message('', '\0\x03\0\0user\0purser\0\0')

function inPieces(data: Buffer, size: number): Message[] {
  const read = messagesOf('has no type')
  return Array.from({ length: Math.ceil(data.length / size) }, (_, i) =>
    read(data.subarray(i * size, (i + 1) * size)),
  ).flat()
}

test('messages are the same in pieces of any size', () => {
  const all = [STARTUP, message('Q', 'begin\0'), message('S'), message('B', '\0lock_bets\0\0')]
  for (let size = 1; size < 30; size++) {
    const found = inPieces(Buffer.concat(all), size)
    expect(found.map(({ type }) => type)).toEqual(['', 'Q', 'S', 'B'])
    expect(found.every(({ bytes }, i) => bytes.equals(all[i] as Buffer))).toBe(true)
  }
})

test('a text is a statement, and so is everything up to a Sync, called as it was prepared', () => {
  const parts = [message('P', 'lock_bets\0select 1\0\0\0'), message('B', '\0lock_bets\0\0'), message('E'), message('S')]
  const collect = statementsOf()
  const sent = inPieces(Buffer.concat([STARTUP, ...parts, message('Q', 'commit\0')]), 7)
    .slice(1)
    .flatMap((one) => collect(one) ?? [])
  expect(sent.map(({ name }) => name)).toEqual(['lock_bets', 'commit'])
  expect(sent[0]?.bytes.equals(Buffer.concat(parts))).toBe(true)
  expect(sent.map(textOfQuery)).toEqual([undefined, 'commit'])
})

test('a text can be put in the place of another one', () => {
  const sent: Sent = { bytes: queryOf('set lock_timeout = 0'), name: '' }
  expect(textOfQuery(sent)).toBe('set lock_timeout = 0')
  expect(sent.bytes.readUInt32BE(1)).toBe(sent.bytes.length - 1)
})

test('an error can be called another one, whatever else it says', () => {
  const error = { type: 'E', bytes: message('E', 'SERROR\0VERROR\0C57014\0MCanceled\0\0') }
  expect([codeOf(error), codeOf(withCode(error, '55P03'))]).toEqual(['57014', '55P03'])
  expect(codeOf({ type: 'E', bytes: fatal('25P03', 'ended') })).toBe('25P03')
})

test('what a statement came to is its tags, errors and rows', () => {
  const answer = [message('D'), message('D'), message('C', 'SELECT 2\0'), message('Z', 'T')]
  expect(cameTo(inPieces(Buffer.concat([STARTUP, ...answer]), 100))).toEqual({ word: 'SELECT 2', rows: 2 })
})
