/** Options of `purser load`. Every fault is a UsageError before the first call. */
import { findUrlFault } from '@purser/protocol/values/base-url'
import { type Money, parseDecimal, toDouble } from '@purser/protocol/values/money'
import { findSecretFault, splitSecrets } from '@purser/protocol/values/secret-text'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { type ExtraHeaders, parseHeaders } from '@purser/runtime/network/extra-headers'
import type { StakeRanges } from './call-draw.ts'
import { type CallMix, parseCallMix } from './call-mix.ts'
import type { LoadPlayer } from './player.ts'
import { MAX_LOAD_PLAYERS } from './players-file.ts'

export interface LoadFlags {
  readonly baseUrl?: string
  readonly secret?: string
  readonly header?: readonly string[]
  readonly players?: string
  readonly operatorApi?: string
  readonly operatorKey?: string
  readonly rate: string
  readonly duration: string
  readonly mix: string
  readonly stake: string
  readonly zipf: string
  readonly seed?: string
  readonly workers: string
  readonly connections: string
  readonly patience: string
  readonly report?: readonly string[]
  readonly json?: true
}

export interface LoadOptions {
  readonly baseUrl: string
  readonly secrets: readonly string[]
  readonly headers: ExtraHeaders
  readonly players: PlayerSource
  readonly rate: number
  readonly durationMs: number
  readonly mix: CallMix
  readonly stake: readonly [least: string, most: string]
  readonly zipf: number
  readonly seed: number
  readonly workers: number
  readonly connections: number
  readonly stallTimeoutMs: number
}

export type PlayerSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'made'; readonly count: number; readonly url: string; readonly key: string }

const MS_PER_SECOND = 1_000
const MAX = {
  rate: 100_000,
  duration: 86_400,
  zipf: 5,
  seed: 2 ** 31 - 1,
  workers: 16,
  connections: 4_096,
  patience: 3_600,
}

export async function parseLoadOptions(flags: LoadFlags, env: NodeJS.ProcessEnv): Promise<LoadOptions> {
  const { baseUrl = '', seed } = flags
  const whole = (name: keyof typeof MAX & keyof LoadFlags, written: string, least: number) => {
    const value = /^\d{1,10}$/.test(written) ? Number.parseInt(written, 10) : -1
    if (value >= least && value <= MAX[name]) return value
    throw new UsageError(`--${name} must be a whole number from ${least} to ${MAX[name]}, not "${written}"`)
  }
  const fault = findUrlFault(baseUrl, 'wallet')
  if (fault !== undefined) throw new UsageError(`--base-url, the address of the wallet, ${fault}`)
  const options: LoadOptions = {
    baseUrl,
    secrets: resolveSecrets(flags, env),
    headers: parseHeaders(flags.header ?? []),
    players: parsePlayerSource(flags, env),
    rate: whole('rate', flags.rate, 1),
    durationMs: whole('duration', flags.duration, 1) * MS_PER_SECOND,
    mix: parseCallMix(flags.mix),
    stake: parseStakeRange(flags.stake),
    zipf: parseExponent(flags.zipf),
    seed: seed === undefined ? Date.now() % 1_000_000 : whole('seed', seed, 0),
    workers: whole('workers', flags.workers, 1),
    connections: whole('connections', flags.connections, 1),
    stallTimeoutMs: whole('patience', flags.patience, 1) * MS_PER_SECOND,
  }
  if (options.connections < options.workers)
    throw new UsageError('--connections: every worker needs at least one; raise it, or lower --workers')
  return options
}

function resolveSecrets({ secret }: LoadFlags, { PARTNER_SECRET: known = '' }: NodeJS.ProcessEnv): string[] {
  const secrets = secret === undefined ? splitSecrets(known) : [secret].filter((one) => one !== '')
  if (secrets.length === 0) throw new UsageError('the shared secret is missing: give --secret or set PARTNER_SECRET')
  const fault = findSecretFault(secret ?? known)
  if (fault !== undefined) throw new UsageError(`${secret === undefined ? 'PARTNER_SECRET' : '--secret'} ${fault}`)
  return secrets
}

/** A number creates that number of players. */
function parsePlayerSource({ players, baseUrl = '', ...flags }: LoadFlags, env: NodeJS.ProcessEnv): PlayerSource {
  if (players === undefined)
    throw new UsageError(
      'the players are missing: give --players FILE, a CSV file of userId,token,currency, or for a Purser wallet --players NUMBER',
    )
  if (!/^\d+$/.test(players)) return { kind: 'file', path: players }
  const count = players.length > 6 ? 0 : Number.parseInt(players, 10)
  if (count < 1 || count > MAX_LOAD_PLAYERS)
    throw new UsageError(`--players: the number must be from 1 to ${MAX_LOAD_PLAYERS}`)
  const { operatorApi = baseUrl, operatorKey = env.OPERATOR_API_KEY ?? '' } = flags
  const keyFault = findSecretFault(operatorKey)
  if (keyFault !== undefined) throw new UsageError(`--operator-key or OPERATOR_API_KEY ${keyFault}`)
  if (operatorKey === '')
    throw new UsageError('an operator key is needed to create players: give --operator-key or set OPERATOR_API_KEY')
  const fault = findUrlFault(operatorApi, 'api')
  if (fault !== undefined) throw new UsageError(`--operator-api ${fault}`)
  return { kind: 'made', count, url: operatorApi, key: operatorKey }
}

function parseExponent(written: string): number {
  const exponent = /^\d(\.\d{1,3})?$/.test(written) ? toDouble(written) : -1
  if (exponent < 0 || exponent > MAX.zipf)
    throw new UsageError(`--zipf must be a number from 0 (all alike) to ${MAX.zipf}, not "${written}"`)
  return exponent
}

const STAKE = /^(?<least>\d{1,9}(\.\d{1,12})?)(-(?<most>\d{1,9}(\.\d{1,12})?))?$/

function parseStakeRange(written: string): readonly [string, string] {
  const { least, most = least } = STAKE.exec(written)?.groups ?? {}
  if (least === undefined || most === undefined)
    throw new UsageError(`--stake must be an amount or two, as in 1-5, not "${written}"`)
  return [least, most]
}

/** Minor units. The payout of a larger stake could exceed the exact digits of the wire (M-1). */
const MAX_STAKE = 10n ** 12n

export function resolveStakes([least, most]: LoadOptions['stake'], players: readonly LoadPlayer[]): StakeRanges {
  const currencies = new Map(players.map(({ currency, scale }) => [currency, scale]))
  return new Map(
    [...currencies].map(([currency, scale]) => {
      const [low, high] = [parseDecimal(least, scale), parseDecimal(most, scale)].map((stake) =>
        requireStake(currency, stake),
      )
      if (low === undefined || high === undefined || high < low)
        throw new UsageError('--stake: the first amount is above the second, write them as in 1-5')
      return [currency, { least: low, most: high }]
    }),
  )
}

function requireStake(currency: string, stake: Money | undefined): bigint {
  if (stake !== undefined && stake > 0n && stake <= MAX_STAKE) return stake
  throw new UsageError(
    `--stake: in ${currency} it must be an amount above 0 that ${currency} can hold, and at most ${MAX_STAKE} of its smallest units`,
  )
}
