import { expect, test } from 'vitest'
import {
  createMessageReader,
  encodeMessage,
  encodeSimpleQuery,
} from '../../src/core/database/postgres/postgres-messages.ts'

const NO_TYPE = encodeMessage('', Buffer.from('\0\x03\0\0user\0purser\0\0')).subarray(1)
const MESSAGES = [
  NO_TYPE,
  encodeSimpleQuery('begin'),
  encodeMessage('S', Buffer.alloc(0)),
  encodeSimpleQuery('\u{feff}€'),
]

test('Postgres messages are the same in chunks of any size', () => {
  const data = Buffer.concat(MESSAGES)
  for (let size = 1; size <= data.length; size++) {
    const read = createMessageReader('has no type')
    const found = Array.from({ length: Math.ceil(data.length / size) }, (_, i) =>
      read(data.subarray(i * size, (i + 1) * size)),
    ).flat()
    expect(found.map(({ type }) => type)).toEqual(['', 'Q', 'S', 'Q'])
    expect(found.map(({ bytes }) => bytes)).toEqual(MESSAGES)
  }
})
