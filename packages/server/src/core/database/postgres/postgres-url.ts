/**
 * The address of a Postgres server, read by pg-connection-string. It may hold a password, so no
 * message quotes it.
 */
import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { errorText } from '@purser/runtime/errors/error-text'
import type { ClientConfig } from 'pg'
import { type ConnectionOptions, parse, toClientConfig } from 'pg-connection-string'
import { UnusableDatabaseError } from '../database-errors.ts'

/** An address as libpq accepts it, or the folder of a Unix socket. */
const POSTGRES_URL = /^(postgres(ql)?:\/\/|socket:|\/)/

const ENCODE = 'in user and password write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25'

const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']
/**
 * These modes also check the certificate and its name, because TLS to an unknown server protects
 * nothing.
 */
const STRICT_MODES = ['prefer', 'require', 'verify-ca']

/** Parameters with an effect. Sessions set timeouts and the like themselves. */
const PARAMETERS = [
  ...['host', 'port', 'user', 'password', 'db', 'encoding', 'application_name', 'options', 'client_encoding'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'ssl', 'uselibpqcompat', 'channel_binding'],
]

export interface UrlRules {
  /** Parameters that have no effect are refused. */
  readonly refusesUnknown?: boolean
  /** A connection to another machine without TLS is refused. */
  readonly refusesPlain?: boolean
}

/** Predicate of a sentence about the setting: cause and remedy. Undefined when nothing is wrong. */
export function findUrlProblem(url: string, rules: UrlRules = {}): string | undefined {
  if (!POSTGRES_URL.test(url)) return 'must begin with postgres://'
  if (namesSeveralHosts(url))
    return 'names several hosts, which is not supported: name one, such as a name that follows the primary'
  if (isUnreadable(url)) return `cannot be read as postgres://user:password@host:port/database: ${ENCODE}`
  const problem = findTlsProblem(url)
  if (problem !== undefined) return problem
  const unknown = describeUnknownParameters(url)
  if (rules.refusesUnknown && unknown !== undefined) return unknown
  if (rules.refusesPlain && isUnencrypted(url))
    return `connects to ${formatHostAndPort(url)} without TLS: add sslmode=verify-full to it, or set PURSER_PLAIN_DATABASE=allow where only trusted machines are in the network`
  return undefined
}

/** As in `findUrlProblem`, for misspelt parameters and parameters of other programs. */
export function describeUnknownParameters(url: string): string | undefined {
  const unknown = [...parseUrlQuery(url).keys()].filter((name) => !PARAMETERS.includes(name))
  if (unknown.length === 0) return undefined
  return `has parameters without an effect here (${unknown.join(', ')}): remove them, or write them as one of ${PARAMETERS.join(', ')}`
}

/** Options for `pg`. Throws UsageError for a problem of `findUrlProblem`. */
export function parsePostgresUrl(url: string): ClientConfig {
  const problem = findUrlProblem(url)
  if (problem !== undefined) throw new UsageError(`the address of the database ${problem}`)
  const options = parseUrl(url)
  const config: ClientConfig = { application_name: 'purser', ...toClientConfig(options) }
  config.enableChannelBinding = ['require', 'prefer'].includes(String(options.channel_binding))
  // Otherwise the library reads PGSSLMODE, even for a socket, and the password file, with a
  // warning.
  config.ssl ??= false
  config.password ||= findPassword as () => Promise<string>
  return config
}

/** The host and port, or the folder of the socket. */
export function formatHostAndPort(url: string): string {
  if (isUnreadable(url)) return 'an unreadable address'
  const { host, port } = parseUrl(url)
  const name = host || HOST
  if (name.startsWith('/')) return name
  return `${name.includes(':') ? `[${name}]` : name}${port ? `:${port}` : ''}`
}

/** Like `formatHostAndPort`, with the name of the database. */
export function formatDatabaseAddress(url: string): string {
  return `${formatHostAndPort(url)}/${parseUrl(url).database ?? ''}`
}

const HOST = process.env.PGHOST || 'localhost'

interface PasswordTarget {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** As in libpq: PGPASSWORD, then the password file PGPASSFILE or ~/.pgpass. */
async function findPassword(target: PasswordTarget): Promise<string> {
  const password = process.env.PGPASSWORD || (await readPgpass(target))
  if (password) return password
  throw new UnusableDatabaseError(
    'DATABASE_URL has no password, and the server asks for one: write postgres://user:password@…, set PGPASSWORD, or add a line to ~/.pgpass that only its owner can read',
  )
}

async function readPgpass(target: PasswordTarget): Promise<string | undefined> {
  const { default: find } = await import('pgpass')
  return new Promise((resolve) => find(target, resolve))
}

function parseUrl(url: string): ConnectionOptions {
  const start = url.indexOf('?')
  const query = parseUrlQuery(url)
  const mode = readSslMode(query)
  if (url.startsWith('/') || (start === -1 && mode === null)) return parse(url)
  if (mode !== null) query.set('sslmode', mode)
  // The library would print six lines of warning for these modes, which it treats as one.
  if (!query.has('uselibpqcompat') && STRICT_MODES.includes(query.get('sslmode') ?? ''))
    query.set('sslmode', 'verify-full')
  // Node trusts the well-known authorities by default.
  if (query.get('sslrootcert') === 'system') query.delete('sslrootcert')
  const options = parse(`${start === -1 ? url : url.slice(0, start)}?${query}`)
  // As in libpq, a socket has no TLS.
  return (options.host || HOST).startsWith('/') ? { ...options, ssl: false } : options
}

/** As in libpq, PGSSLMODE applies to an address that does not mention TLS. */
function readSslMode(query: URLSearchParams): string | null {
  return query.get('sslmode') ?? (query.has('ssl') ? null : process.env.PGSSLMODE || null)
}

function parseUrlQuery(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

function namesSeveralHosts(url: string): boolean {
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(url) ?? []
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  return hosts.includes(',') || (parseUrlQuery(url).get('host') ?? '').includes(',')
}

function isUnreadable(url: string): boolean {
  if (!/^postgres(ql)?:/.test(url)) return false
  const [whole, withHost] = [url, url.replace('@/', '@localhost/')]
  const readable = [whole, withHost].find((one) => URL.canParse(one))
  return readable === undefined || hasCutPassword(new URL(readable), readable !== whole)
}

/** A #, / or ? in the password ends the host's part, so the @ and the host follow later. */
function hasCutPassword({ hash, search, pathname, username }: URL, isWithoutHost: boolean): boolean {
  if (hash !== '') return true
  return (isWithoutHost && pathname.includes('@')) || (username === '' && `${pathname}${search}`.includes('@'))
}

function findTlsProblem(url: string): string | undefined {
  const query = parseUrlQuery(url)
  const mode = readSslMode(query)
  if (mode !== null && !SSL_MODES.includes(mode))
    return `has no known sslmode${query.has('sslmode') ? '' : ' (PGSSLMODE)'}: it must be one of ${SSL_MODES.join(', ')}`
  const files = ['sslrootcert', 'sslcert', 'sslkey'].filter((name) => query.has(name))
  try {
    const { ssl } = parseUrl(url)
    if (typeof ssl === 'string') return 'has an ssl that is not 1 or 0: write sslmode=verify-full or sslmode=disable'
    return typeof ssl === 'object' ? findCertificateProblem(ssl as SecureContextOptions) : undefined
  } catch (error) {
    const { path, code } = error as NodeJS.ErrnoException
    if (path !== undefined && code === 'ENOENT')
      return `names the file ${path}, which does not exist: correct ${files.join(', ')}`
    return `cannot be used as it is (${errorText(error)})`
  }
}

function findCertificateProblem({ ca, cert, key }: SecureContextOptions): string | undefined {
  try {
    if (typeof ca === 'string') new X509Certificate(ca)
  } catch {
    return 'has an sslrootcert that is not a certificate: name the file of the CA certificate, in PEM'
  }
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    return `has an sslcert and an sslkey that do not match (${errorText(error)}): name both files, in PEM`
  }
  return undefined
}

/** Others in the network could read the traffic. */
function isUnencrypted(url: string): boolean {
  const { ssl, host } = parseUrl(url)
  return !ssl && !isLoopbackHost(host || HOST)
}

function isLoopbackHost(host: string): boolean {
  return host.startsWith('/') || host === '::1' || /^(localhost|127\.\d+\.\d+\.\d+)$/i.test(host)
}
