/** Reads and checks the settings of a process (settings.ts) from its environment. */

import type { Reach } from '@purser/protocol/values/base-url'
import type { Scales } from '@purser/protocol/values/money'
import { findSecretFault } from '@purser/protocol/values/secret-text'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { findNetworkFault } from '@purser/runtime/network/ip-networks'
import type { DatabaseConfig } from '../database/database-factory.ts'
import type { Durability } from '../database/postgres/durability.ts'
import { findUrlProblem, type UrlRules } from '../database/postgres/postgres-url.ts'
import { type Approvals, readApprovals } from './approvals.ts'
import { parseCurrencyScales } from './currency-settings.ts'
import { type PlatformSecret, readPlatformSecrets } from './platform-secrets.ts'
import {
  findEnvironmentFaults,
  findUrlFaults,
  findWeaknesses,
  isSecret,
  splitNamedSecrets,
} from './production-checks.ts'
import { ensureSecret, readSecretFile } from './secret-files.ts'
import { readConnectionSettings, type ServerConnectionSettings } from './server-connection-settings.ts'
import { defaultOf, type SettingName } from './settings.ts'
import { readTracesUrl } from './traces-url.ts'

export interface Config extends ServerConnectionSettings, Approvals {
  readonly host: string
  readonly port: number
  /** Number of processes of this server, which share the port. */
  readonly processes: number
  readonly store: DatabaseConfig
  /** Applies to each connection to Postgres that a command opens. */
  readonly durability: Durability
  readonly urlRules: UrlRules
  readonly secrets: readonly string[]
  /** Secrets of named platforms (W-43). */
  readonly platformSecrets: readonly PlatformSecret[]
  /** Platforms may change each other's bets (W-43). */
  readonly sharedBets: boolean
  readonly operatorKey: string
  readonly platformKey: string
  readonly gatewayKey: string
  /** Keys for secrets at rest (O-5), 32 bytes each; the first one encrypts. */
  readonly encryptionKeys: readonly Buffer[]
  /** Doubtful settings, which production refuses. */
  readonly warnings: readonly string[]
  /** Secrets that this start generated and shows once. */
  readonly generated: readonly { name: string; value: string; path?: string }[]
  readonly clawback: 'refuse' | 'allow-negative'
  readonly resettleWindowMs: number | null
  readonly freebetStake: 'player' | 'promotions'
  readonly scales: Scales
  /** Undefined: the number in the database, or 1. */
  readonly buckets: number | undefined
  readonly behindAggregator: boolean
  readonly reach: Reach
  /** Networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** Limit of concurrent calls to one partner, per use. */
  readonly callsPerPartner: number
  readonly minimumAge: number
  /** Days of calls in the journal, in addition to today; 0 means no journal. */
  readonly journalDays: number
  readonly fastPath: 'on' | 'off'
  /** Allows the conformance kit to run from the console. */
  readonly conformance: 'on' | 'off'
  readonly migrate: 'auto' | 'never'
  /** Address for spans; without it nothing is traced. */
  readonly tracing: { readonly url?: string | undefined }
  /** Minutes without use until a console session ends. */
  readonly consoleIdleMinutes: number
  readonly logLevel: string
}

/** Contains all problems of the settings, so that a user can repair them at once. */
export class ConfigError extends UsageError {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

const DAY_MS = 86_400_000
export const MAX_BUCKETS = 1_024
const MAX_PROCESSES = 64
/** Each call is a connection, per use and partner. */
const MAX_CALLS_PER_PARTNER = 4_096

/** A server generates and stores missing values of these settings. */
type KeyName = 'PARTNER_SECRET' | 'OPERATOR_API_KEY' | 'PLATFORM_API_KEY' | 'GATEWAY_API_KEY'

/**
 * Differences between commands, such as their keys, which are generated when missing, and their
 * default port.
 */
export interface ProcessRole {
  readonly keys: readonly KeyName[]
  /** Several named platforms may call this server (W-43). */
  readonly namesPlatforms?: true
  /** The server stores secrets of other systems, so production requires an encryption key (O-5). */
  readonly keepsSecrets?: true
  readonly port: string
}

export const PROCESS_ROLES = {
  wallet: { keys: ['PARTNER_SECRET', 'OPERATOR_API_KEY'], port: '8080', namesPlatforms: true },
  platform: { keys: ['PLATFORM_API_KEY'], port: '8081', keepsSecrets: true },
  gateway: { keys: ['PARTNER_SECRET', 'GATEWAY_API_KEY'], port: '8082', keepsSecrets: true },
  /** Wallet and platform; the platform's port follows the wallet's. */
  sandbox: { keys: ['PARTNER_SECRET', 'OPERATOR_API_KEY', 'PLATFORM_API_KEY'], port: '8080' },
  sandboxWithGateway: {
    keys: ['PARTNER_SECRET', 'OPERATOR_API_KEY', 'PLATFORM_API_KEY', 'GATEWAY_API_KEY'],
    port: '8080',
  },
  /** Reads a database and serves nothing. */
  tool: { keys: [], port: '0' },
} as const satisfies Record<string, ProcessRole>

const CONFORMANCE_IN_PRODUCTION =
  'PURSER_CONFORMANCE=on is for test systems only, as the kit creates players and moves money: unset it in production'

/** Throws ConfigError. Generates and stores missing keys of the role. */
export function readConfig(env: EnvironmentVariables, role: ProcessRole = PROCESS_ROLES.wallet): Config {
  const problems: string[] = []
  const isProduction = env.NODE_ENV === 'production'
  const environmentFaults = findEnvironmentFaults(env)
  if (isProduction) problems.push(...environmentFaults)
  const read = createReader(env, problems)
  const dataDir = read.text('PURSER_DATA_DIR')
  const urlRules = { refusesUnknown: isProduction, refusesPlain: !read.allows('PURSER_PLAIN_DATABASE', !isProduction) }
  const url = read.postgresUrl('DATABASE_URL', urlRules)
  const durability = read.choice('PURSER_DURABILITY', ['server', 'storage'])
  const warnings = isProduction ? [] : [...environmentFaults, ...findUrlFaults(url)]
  const generated: Config['generated'][number][] = []
  const named = role.namesPlatforms ? read.text('PARTNER_SECRETS') : ''
  const secret = (name: KeyName) => {
    const given = read.optional(name)
    if (given !== undefined || !role.keys.includes(name)) return given ?? ''
    if (name === 'PARTNER_SECRET' && named !== '') return '' // each platform has a name
    if (isProduction) {
      problems.push(`${name} must be set in production, or ${name}_FILE`)
      return ''
    }
    const { isNew, ...stored } = ensureSecret(dataDir, name, problems)
    if (isNew) generated.push(stored)
    return stored.value
  }
  const scales = read.scales()
  const secrets = read.list('PARTNER_SECRET', secret('PARTNER_SECRET'))
  const config: Config = {
    host: read.text('HOST'),
    port: read.integer('PORT', 0, 65_535, role.port) ?? 0,
    processes: read.integer('PURSER_PROCESSES', 1, MAX_PROCESSES) ?? 1,
    ...{ urlRules, durability },
    store: url === undefined ? { kind: 'pglite', dataDir } : { kind: 'postgres', url, durability },
    secrets,
    platformSecrets: readPlatformSecrets(named, secrets, problems),
    sharedBets: read.choice('PURSER_SHARED_BETS', ['false', 'true']) === 'true',
    ...{ operatorKey: secret('OPERATOR_API_KEY'), platformKey: secret('PLATFORM_API_KEY') },
    gatewayKey: secret('GATEWAY_API_KEY'),
    encryptionKeys: read.encryptionKeys(),
    warnings,
    generated,
    clawback: read.choice('PURSER_CLAWBACK', ['refuse', 'allow-negative']),
    resettleWindowMs: multiply(read.integer('PURSER_RESETTLE_WINDOW', 0, 36_500), DAY_MS),
    freebetStake: read.choice('PURSER_FREEBET_STAKE', ['player', 'promotions']),
    scales,
    buckets: read.integer('PURSER_BUCKETS', 1, MAX_BUCKETS),
    behindAggregator: read.choice('PURSER_BEHIND_AGGREGATOR', ['true', 'false']) === 'true',
    reach: read.reach(!isProduction),
    trustedProxies: read.networks('PURSER_TRUSTED_PROXIES'),
    ...readConnectionSettings(read.integer),
    callsPerPartner: read.integer('PURSER_CALLS_PER_PARTNER', 1, MAX_CALLS_PER_PARTNER) ?? 1,
    journalDays: read.integer('PURSER_JOURNAL_DAYS', 0, 3_650) ?? 14,
    minimumAge: read.integer('PURSER_MINIMUM_AGE', 0, 120) ?? 18,
    fastPath: read.choice('PURSER_FAST_PATH', ['on', 'off']),
    migrate: read.choice('PURSER_MIGRATE', ['auto', 'never']),
    conformance: read.choice('PURSER_CONFORMANCE', ['on', 'off']),
    ...readApprovals(read.text, scales, problems),
    consoleIdleMinutes: read.integer('PURSER_CONSOLE_IDLE_MINUTES', 1, 720) ?? 30,
    tracing: { url: readTracesUrl(read, warnings) },
    logLevel: read.choice('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  }
  if (config.processes > 1 && url === undefined)
    problems.push('PURSER_PROCESSES needs DATABASE_URL: the embedded database supports only one process')
  if (isProduction && config.conformance === 'on') problems.push(CONFORMANCE_IN_PRODUCTION)
  if (isProduction && role.keepsSecrets && read.optional('PURSER_ENCRYPTION_KEY') === undefined)
    problems.push(NO_ENCRYPTION_KEY)
  if (isProduction && role.keys.length > 0) problems.push(...findProductionFaults(config, url, env))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/**
 * Faults in production (O-1). Keys of other servers in the environment are compared too, because
 * all must differ.
 */
function findProductionFaults(config: Config, url: string | undefined, env: EnvironmentVariables): string[] {
  const { secrets, platformSecrets, operatorKey, platformKey, gatewayKey, encryptionKeys } = config
  const keys: Record<KeyName | 'PURSER_ENCRYPTION_KEY', string> = {
    PARTNER_SECRET: secrets.join(','),
    OPERATOR_API_KEY: operatorKey,
    PLATFORM_API_KEY: platformKey,
    GATEWAY_API_KEY: gatewayKey,
    PURSER_ENCRYPTION_KEY: encryptionKeys.map((key) => key.toString('hex')).join(','),
  }
  const given = Object.entries(keys).filter(([, value]) => value !== '')
  const isMissing = url === undefined && !env.DATABASE_URL_FILE
  return [
    ...(isMissing ? [NO_DATABASE] : []),
    ...findWeaknesses([
      ...given.flatMap(([name, value]) => splitNamedSecrets(name, value)),
      ...platformSecrets.map(({ platform, value }) => ({
        title: `the secret of ${platform} in PARTNER_SECRETS`,
        value,
      })),
    ]),
  ]
}

const NO_ENCRYPTION_KEY =
  'PURSER_ENCRYPTION_KEY must be set in production, or PURSER_ENCRYPTION_KEY_FILE: openssl rand -hex 32'

export const NO_DATABASE =
  'DATABASE_URL must be set in production, or DATABASE_URL_FILE: the embedded database does not survive a power loss'

function multiply(value: number | undefined, factor: number): number | null {
  return value === undefined ? null : value * factor
}

/** Settings may be read more than once. */
function addOnce(problems: string[], problem: string): void {
  if (!problems.includes(problem)) problems.push(problem)
}

function createReader(env: EnvironmentVariables, problems: string[]) {
  const optional = (name: SettingName): string | undefined => {
    const given = env[name]?.trim() || undefined
    const file = env[`${name}_FILE`]
    const isFile = given === undefined && file
    const value = isFile ? readSecretFile(name, file, problems) : given
    const fault = value !== undefined && isSecret(name) ? findSecretFault(value) : undefined
    if (fault !== undefined) addOnce(problems, `${name}${isFile ? '_FILE' : ''} ${fault}`)
    return value
  }
  const text = (name: SettingName): string => optional(name) ?? defaultOf(name) ?? ''
  const list = (name: SettingName, given: string): string[] => {
    const parts = given.split(',').map((part) => part.trim())
    if (given !== '' && parts.includes('')) problems.push(`${name} has an empty part between its commas`)
    return parts.filter((part) => part !== '')
  }
  const choice = <const T extends string>(name: SettingName, choices: readonly T[]): T => {
    const value = text(name)
    const chosen = choices.find((candidate) => candidate === value)
    if (chosen === undefined) problems.push(`${name} must be one of ${choices.join(', ')}, not "${value}"`)
    return chosen ?? (choices[0] as T)
  }
  const httpUrl = (name: SettingName): string | undefined => {
    const url = optional(name)
    if (url !== undefined && !(/^https?:\/\//.test(url) && URL.canParse(url)))
      problems.push(`${name} must be an address that begins with http:// or https://`)
    return url
  }
  const allows = (name: SettingName, auto: boolean): boolean => {
    const chosen = choice(name, ['auto', 'allow', 'refuse'])
    return chosen === 'auto' ? auto : chosen === 'allow'
  }
  return {
    optional,
    text,
    list,
    choice,
    allows,
    httpUrl,
    reach: (auto: boolean): Reach => ({
      privateAddresses: allows('PURSER_PRIVATE_ADDRESSES', auto),
      plainHttp: allows('PURSER_PLAIN_HTTP', auto),
    }),
    networks(name: SettingName): string[] {
      const networks = list(name, text(name))
      problems.push(...findNetworkFaults(name, networks))
      return networks
    },
    integer(name: SettingName, min: number, max: number, fallback = ''): number | undefined {
      const value = text(name) || fallback
      if (value === '') return undefined
      const number = /^\d{1,9}$/.test(value) ? Number.parseInt(value, 10) : Number.NaN
      if (number >= min && number <= max) return number
      problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}"`)
      return undefined
    },
    encryptionKeys: () => readEncryptionKeys(text('PURSER_ENCRYPTION_KEY'), problems),
    scales: () => parseCurrencyScales(text('PURSER_CURRENCIES'), problems),
    /** The address may hold a password, so no message shows it. */
    postgresUrl(name: SettingName, rules: UrlRules): string | undefined {
      const url = optional(name)
      const problem = url === undefined ? undefined : findUrlProblem(url, rules)
      if (problem !== undefined) problems.push(`${name} ${problem}`)
      return url
    },
  }
}

function findNetworkFaults(name: SettingName, networks: readonly string[]): string[] {
  const faults = networks.map((network) => [network, findNetworkFault(network)])
  return faults.flatMap(([network, fault]) => (fault === undefined ? [] : [`${name}: ${network} ${fault}`]))
}

/** A key of AES-256 has 32 bytes. */
const ENCRYPTION_KEY = /^[0-9a-fA-F]{64}$/

/** Keys of secrets at rest (O-5). Messages never show a key, even if it is wrong. */
function readEncryptionKeys(given: string, problems: string[]): Buffer[] {
  const parts = given.split(',').map((part) => part.trim())
  if (parts.join('') === '') return []
  if (!parts.every((part) => ENCRYPTION_KEY.test(part)))
    problems.push(
      'PURSER_ENCRYPTION_KEY must be 64 hexadecimal digits, or several of these with commas: openssl rand -hex 32',
    )
  return parts.map((part) => Buffer.from(part, 'hex'))
}
