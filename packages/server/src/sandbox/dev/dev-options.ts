/** Command-line options of `purser dev`. */
import { randomBytes } from 'node:crypto'
import { findUrlFault } from '@purser/protocol/values/base-url'
import { toDouble } from '@purser/protocol/values/money'
import { findSecretFault, splitSecrets } from '@purser/protocol/values/secret-text'
import { type ExtraHeaders, parseHeaders } from '@purser/runtime/network/extra-headers'
import { ConfigError, type EnvironmentVariables } from '../../core/config/config.ts'

export interface DevFlags {
  readonly wallet?: string
  readonly secret?: string
  readonly token?: readonly string[]
  readonly tokenCommand?: string
  readonly players?: string
  readonly header?: readonly string[]
  readonly bettors: string
  readonly faults: string
  readonly seed?: string
  readonly duration: string
  readonly scenario?: string
  readonly wait: string
  readonly port: string
  readonly keep?: string
  readonly json?: true
  readonly platform?: true
}

/** The sources of the players' tokens. */
export interface TokenSources {
  readonly tokens: readonly string[]
  /** Prints one token. */
  readonly command: string | undefined
  /** A file in the form of the conformance kit's fixtures. */
  readonly file: string | undefined
}

export interface DevOptions {
  readonly walletUrl: string
  readonly secret: string
  readonly sources: TokenSources
  readonly headers: ExtraHeaders
  readonly bettors: number
  /** Fraction of the bettors' calls that get a fault, from 0 to 1. */
  readonly faults: number
  readonly seed: number
  /** Seconds; 0 means until the signal. */
  readonly duration: number
  /** File with steps to play. */
  readonly scenario: string | undefined
  /** Seconds to wait for the wallet, if no person watches. */
  readonly wait: number
  readonly port: number
  /** Folder of the platform's database; by default it is in memory. */
  readonly keep: string | undefined
  readonly isJson: boolean
}

/** Options of `purser dev --platform`. */
export interface PlatformSideOptions extends Pick<DevOptions, 'duration' | 'port' | 'keep' | 'isJson'> {
  readonly secret: string
}

const MAX_BETTORS = 50
const MAX_DURATION = 7 * 86_400
const MAX_SEED = 2 ** 31 - 1
const MAX_PORT = 65_535

/** Throws `ConfigError` with every fault. */
export function parseDevOptions(flags: DevFlags, env: EnvironmentVariables): DevOptions {
  const problems: string[] = []
  const read = createFlagReader(flags, problems)
  const { tokenCommand: command, players: file, token: tokens = [], scenario, keep } = flags
  const target = readTarget(flags, env, problems)
  if (tokens.length === 0 && command === undefined && file === undefined)
    problems.push('a player is missing: give --token with a session token of a test player of your wallet')
  const options: DevOptions = {
    ...target,
    sources: { tokens, command, file },
    headers: parseHeaders(flags.header ?? []),
    bettors: read('bettors', MAX_BETTORS),
    faults: read('faults', 1, false),
    seed: flags.seed === undefined ? Date.now() % 1_000_000 : read('seed', MAX_SEED),
    duration: read('duration', MAX_DURATION),
    wait: read('wait', MAX_DURATION),
    port: read('port', MAX_PORT),
    ...{ scenario, keep, isJson: flags.json === true },
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return options
}

/** A missing secret is generated. Throws `ConfigError` with every fault. */
export function parsePlatformSideOptions(flags: DevFlags, env: EnvironmentVariables): PlatformSideOptions {
  const problems: string[] = []
  const read = createFlagReader(flags, problems)
  const { keep, wallet, json } = flags
  if (wallet !== undefined) problems.push('--platform brings its own wallet: leave --wallet out')
  const given = flags.secret ?? splitSecrets(env.PARTNER_SECRET ?? '')[0]
  const fault = given === undefined ? undefined : findSecretFault(given)
  if (fault !== undefined) problems.push(`the shared secret ${fault}`)
  const [duration, port] = [read('duration', MAX_DURATION), read('port', MAX_PORT)]
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    duration,
    port,
    keep,
    isJson: json === true,
    secret: given ?? randomBytes(SECRET_BYTES).toString('base64url'),
  }
}

const SECRET_BYTES = 24

/** Reads a number, and adds a problem if it is none. */
function createFlagReader(flags: DevFlags, problems: string[]) {
  return (name: keyof DevFlags, max: number, isWhole = true): number => {
    const written = String(flags[name])
    const form = isWhole ? /^\d{1,10}$/ : /^\d{1,10}(\.\d{1,6})?$/
    const value = form.test(written) ? toDouble(written) : Number.NaN
    if (!(value <= max)) problems.push(`--${name} must be a number from 0 to ${max}, not "${written}"`)
    return value
  }
}

function readTarget(
  { wallet = '', secret: given }: DevFlags,
  env: EnvironmentVariables,
  problems: string[],
): Pick<DevOptions, 'walletUrl' | 'secret'> {
  const fault =
    wallet === '' ? 'is missing: give it as in --wallet http://127.0.0.1:3000' : findUrlFault(wallet, 'wallet')
  if (fault !== undefined) problems.push(`--wallet, the address of your wallet, ${fault}`)
  const secret = given ?? splitSecrets(env.PARTNER_SECRET ?? '')[0] ?? ''
  const secretFault = secret === '' ? 'is missing: give --secret or set PARTNER_SECRET' : findSecretFault(secret)
  if (secretFault !== undefined) problems.push(`the shared secret ${secretFault}`)
  return { walletUrl: wallet, secret }
}
