/**
 * `purser migrate` connects to every kind of database address (TLS, sockets, passwords), and
 * explains the errors.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { isOutage } from '../../src/core/database/database-errors.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { statement } from '../../src/core/database/db.ts'
import { type Certificates, makeCertificates } from '../support/certificates.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { run } from './command.ts'

let certificates: Certificates
let server: SecondPostgres
beforeAll(async () => {
  certificates = makeCertificates()
  const { certificate, key } = certificates.sign('localhost')
  const access = join(certificates.folder, 'pg_hba.conf')
  writeFileSync(access, 'local all all trust\nhost all all all scram-sha-256\n')
  server = await startSecondPostgres({
    ...{ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key },
    ...{ unix_socket_directories: certificates.folder, hba_file: access },
  })
})
afterAll(async () => {
  await server.stop()
  certificates.remove()
})

function address(change: (url: URL) => void, url = server.url): string {
  const changed = new URL(url)
  change(changed)
  return changed.href
}

const withQuery = (query: string, hostname = '127.0.0.1') =>
  address((url) => {
    url.hostname = hostname
    url.search = query
  })

async function migrate(url: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await run(['migrate'], { DATABASE_URL: url, ...env })
  const password = new URL(server.url).password
  expect(stdout + stderr).not.toContain(password)
  expect(stdout + stderr).not.toMatch(/warning|defect/i)
  return { code, said: stdout + stderr }
}

describe('purser migrate connects', () => {
  const throughSocket = (user: (url: URL) => string) => {
    const url = new URL(server.url)
    return `postgresql://${user(url)}@/postgres?host=${certificates.folder}&port=${url.port}`
  }
  const rootCert = () => `sslrootcert=${certificates.authority}`

  test.each([
    [
      'through a Unix socket that the query names',
      () => throughSocket(({ username, password }) => `${username}:${password}`),
    ],
    ['through a Unix socket that asks for no password', () => throughSocket(({ username }) => username)],
    [
      'by verify-full, to a certificate of a named authority',
      () => withQuery(`sslmode=verify-full&${rootCert()}`, 'localhost'),
    ],
    [
      'by require, to a certificate of a named authority',
      () => withQuery(`sslmode=require&${rootCert()}`, 'localhost'),
    ],
    ['by no-verify, to any certificate', () => withQuery('sslmode=no-verify')],
    ['with channel binding', () => withQuery('sslmode=no-verify&channel_binding=require')],
  ])('%s', async (_, url) => {
    expect(await migrate(url())).toMatchObject({ code: 0, said: expect.stringContaining('schema version') })
  })
})

describe('an address without a password', () => {
  const withoutPassword = () =>
    address((url) => {
      url.password = ''
    })
  /** Writes `.pgpass` and returns its home folder. */
  function home(mode: number): string {
    const { hostname, port, username, password } = new URL(server.url)
    const file = join(certificates.folder, '.pgpass')
    writeFileSync(file, `${hostname}:${port}:*:${username}:${password}\n`)
    chmodSync(file, mode)
    return certificates.folder
  }

  test.each([
    ['gets the password of PGPASSWORD', () => ({ PGPASSWORD: new URL(server.url).password })],
    ['gets the password of ~/.pgpass', () => ({ HOME: home(0o600) })],
    ['gets the password of the file PGPASSFILE', () => ({ PGPASSFILE: join(home(0o600), '.pgpass') })],
  ])('%s', async (_, env) => {
    const { code, said } = await migrate(withoutPassword(), env())
    expect(code, said).toBe(0)
  })

  test('gets none from a file that other users can read, and the command says so', async () => {
    const { code, stderr } = await run(['migrate'], { DATABASE_URL: withoutPassword(), HOME: home(0o644) })
    expect(code).toBe(2)
    expect(stderr).toContain('has group or world access')
    expect(stderr).toContain('DATABASE_URL has no password')
  })
})

test('PGSSLMODE applies to an address that does not mention TLS, and not to a socket', async () => {
  const { code, said } = await migrate(withQuery('', 'localhost'), { PGSSLMODE: 'verify-full' })
  expect({ code, said }).toEqual({ code: 3, said: expect.stringContaining('no known CA') })
  const { port } = new URL(server.url)
  const socket = `postgres://postgres@/postgres?host=${certificates.folder}&port=${port}`
  expect(await migrate(socket, { PGSSLMODE: 'verify-full' })).toMatchObject({ code: 0 })
})

describe('purser migrate reports', () => {
  test.each([
    [
      'that the password is missing',
      () =>
        address((url) => {
          url.password = ''
        }),
      2,
      'DATABASE_URL has no password, and the server asks for one',
    ],
    [
      'that a certificate is not trusted',
      () => withQuery('sslmode=require', 'localhost'),
      3,
      'no known CA has signed its certificate: name the file of the CA with sslrootcert=…, or accept any certificate with sslmode=no-verify',
    ],
    [
      'that a certificate is for another name',
      () => withQuery(`sslmode=verify-full&sslrootcert=${certificates.authority}`),
      3,
      'its certificate is for another name: connect by a name that it has',
    ],
    [
      'that the file of the authority is missing',
      () => withQuery('sslmode=verify-full&sslrootcert=/nowhere'),
      2,
      'DATABASE_URL names the file /nowhere, which does not exist',
    ],
    [
      'that the file of the authority holds no certificate',
      () => withQuery(`sslmode=verify-full&sslrootcert=${certificates.folder}/localhost.key`),
      2,
      'DATABASE_URL has an sslrootcert that is not a certificate',
    ],
    [
      'that the server has no TLS',
      () =>
        address((url) => {
          url.search = 'sslmode=require'
        }, inject('postgresUrl')),
      3,
      'the server has no TLS: turn it on there, or connect without it by sslmode=disable',
    ],
    [
      'that there is no such sslmode',
      () => withQuery('sslmode=requierd'),
      2,
      'DATABASE_URL has no known sslmode: it must be one of disable, no-verify, prefer, require, verify-ca, verify-full',
    ],
  ])('%s', async (_, url, code, words) => {
    expect(await migrate(url())).toMatchObject({ code, said: expect.stringContaining(words) })
  })
})

test('a certificate that has become invalid is an outage for a database in use and for every call', async () => {
  const url = withQuery(`sslmode=verify-full&sslrootcert=${certificates.authority}`, 'localhost')
  const db = await openDb({ kind: 'postgres', url })
  const { certificate, key } = certificates.sign('another.example')
  await server.kill('SIGINT')
  await server.start({ ssl_cert_file: certificate, ssl_key_file: key })
  const error = await db.query(statement('one', 'select 1 as one'), []).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  await db.close()
  expect(error).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  expect(isOutage(error)).toBe(true)
})
