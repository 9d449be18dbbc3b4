/**
 * A database column stores the connection settings of a partner, an operator or a webhook, with or
 * without encryption (O-20).
 */
import { randomBytes } from 'node:crypto'
import type { ConnectionSettings } from '@purser/runtime/network/connection-settings'
import { describe, expect, test } from 'vitest'
import {
  connectionFromColumn,
  connectionToColumn,
  decryptColumn,
  replacedConnection,
  SECRET_TABLES,
} from '../../src/core/database/encryption/encrypted-secrets.ts'
import { createEncryptionKeyring, type StoredSecrets } from '../../src/core/database/encryption/encryption-keyring.ts'

const HEADER: ConnectionSettings = { headers: { 'x-api-key': 'a-key' } }
const ALL: ConnectionSettings = { ...HEADER, ca: 'an authority', certificate: 'a certificate', key: 'its key' }
const TABLE = SECRET_TABLES.platform
const keyring = createEncryptionKeyring([randomBytes(32)])

describe.each([
  ['encryption', keyring],
  ['no encryption', createEncryptionKeyring([])],
])('with %s, the column of connection settings', (_what, ring) => {
  const stored = (settings: ConnectionSettings): StoredSecrets | null =>
    JSON.parse(connectionToColumn(ring, TABLE, 'acme', settings) ?? 'null')

  test.each([
    ['a single setting', HEADER],
    ['all settings', ALL],
    ['no setting', {}],
  ])('returns %s', (_which, settings) => {
    expect(connectionFromColumn(ring, TABLE, 'acme', stored(settings))).toEqual(settings)
    expect(replacedConnection(ring, TABLE, 'acme', stored(settings))).toEqual(settings)
  })

  test('is null without a setting', () => {
    expect(stored({})).toBeNull()
    expect(stored(HEADER)).not.toBeNull()
  })
})

test('encrypted connection settings are readable in their own row and column only', () => {
  const text = connectionToColumn(keyring, TABLE, 'acme', HEADER) ?? ''
  expect(text).not.toContain('a-key')
  const stored: StoredSecrets = JSON.parse(text)
  expect(() => connectionFromColumn(keyring, TABLE, 'other', stored)).toThrow('moved from another row')
  expect(() => decryptColumn(keyring, TABLE, 'acme', stored)).toThrow('moved from another row')
  expect(replacedConnection(keyring, TABLE, 'other', stored)).toEqual({})
})
