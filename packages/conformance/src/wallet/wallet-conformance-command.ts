/**
 * Command `conformance wallet`. Its options set the address of the wallet and the source of the
 * players.
 */

import { findUrlFault } from '@purser/protocol/values/base-url'
import { findSecretFault, splitSecrets } from '@purser/protocol/values/secret-text'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import {
  type CommonConformanceFlags,
  type ConformanceDeps,
  type ConformanceSuite,
  type PreparedSuite,
  readOptionFile,
  runConformanceCommand,
} from '../conformance-command.ts'
import type { WalletCase } from './case/wallet-case.ts'
import { WALLET_CASES } from './cases/wallet-cases.ts'
import { runWalletKit } from './play/wallet-kit-run.ts'
import { parseFixturesFile } from './players/fixtures-file.ts'
import { createOperatorFixtures } from './players/operator-fixtures.ts'
import type { PlayerFixtures } from './players/player-fixtures.ts'

export interface ConformanceWalletFlags extends CommonConformanceFlags {
  readonly baseUrl?: string
  readonly secret?: string
  readonly fixtures?: string
  readonly operatorApi?: string
  readonly operatorKey?: string
  /** Seconds; true for the default. */
  readonly patient?: string | true
}

/** Resolves to the exit code. */
export function runConformanceWallet(flags: ConformanceWalletFlags, deps: ConformanceDeps): Promise<number> {
  return runConformanceCommand(createWalletKit(flags, deps.env ?? {}), flags, deps)
}

function createWalletKit(flags: ConformanceWalletFlags, env: NodeJS.ProcessEnv): ConformanceSuite<WalletCase> {
  const { baseUrl, secret, fixtures, operatorApi, operatorKey, patient } = flags
  return {
    judged: 'wallet',
    cases: WALLET_CASES,
    target: [
      { name: '--base-url', value: baseUrl },
      { name: '--secret', value: secret, variable: '$PARTNER_SECRET' },
      { name: '--fixtures', value: fixtures },
      { name: '--operator-api', value: operatorApi },
      { name: '--operator-key', value: operatorKey, variable: '$OPERATOR_API_KEY' },
      { name: '--patient', value: patient },
    ],
    prepare: () => prepareWalletRun({ ...readSecrets(env), ...flags }),
  }
}

function prepareWalletRun(flags: ConformanceWalletFlags): PreparedSuite<WalletCase> {
  const { baseUrl, secret } = requireTarget(flags)
  const repeatDelayMs = parseRepeatDelay(flags)
  const { fixtures, close } = openFixtures(flags)
  return {
    run: (cases, how) => runWalletKit({ ...how, baseUrl, secret, fixtures, cases, lateRepeatDelayMs: repeatDelayMs }),
    close,
  }
}

/** Seconds. A cache of idempotency keys often lives this long. */
const DEFAULT_REPEAT_DELAY_S = 300
const MS_PER_SECOND = 1_000

function parseRepeatDelay({ patient }: ConformanceWalletFlags): number {
  if (patient === undefined) return 0
  if (patient === true) return DEFAULT_REPEAT_DELAY_S * MS_PER_SECOND
  if (!/^[1-9]\d{0,4}$/.test(patient)) throw new UsageError('--patient: give whole seconds, as in --patient 300')
  return Number.parseInt(patient, 10) * MS_PER_SECOND
}

/** During a rotation any of the secrets is valid. */
function readSecrets({ PARTNER_SECRET: secrets, OPERATOR_API_KEY: operatorKey }: NodeJS.ProcessEnv) {
  const [secret] = splitSecrets(secrets ?? '')
  return { ...(secret !== undefined && { secret }), ...(operatorKey !== undefined && { operatorKey }) }
}

function requireTarget({ baseUrl, secret }: ConformanceWalletFlags): { baseUrl: string; secret: string } {
  if (baseUrl === undefined)
    throw new UsageError('the address of the wallet is missing: give --base-url, as in https://wallet.example')
  const fault = findUrlFault(baseUrl, 'wallet')
  if (fault !== undefined) throw new UsageError(`--base-url, the address of the wallet, ${fault}`)
  if (secret === undefined || secret === '')
    throw new UsageError('the shared secret is missing: give --secret or set PARTNER_SECRET')
  const secretFault = findSecretFault(secret)
  if (secretFault !== undefined) throw new UsageError(`--secret or PARTNER_SECRET ${secretFault}`)
  return { baseUrl, secret }
}

function openFixtures({ fixtures, operatorApi, operatorKey }: ConformanceWalletFlags): {
  fixtures: PlayerFixtures
  close: () => Promise<void>
} {
  if ((fixtures === undefined) === (operatorApi === undefined))
    throw new UsageError(
      'the players are missing: give --fixtures FILE for any wallet, or --operator-api URL for a Purser wallet',
    )
  if (fixtures !== undefined)
    return { fixtures: parseFixturesFile(readOptionFile('--fixtures', fixtures)), close: async () => {} }
  if (operatorKey === undefined)
    throw new UsageError('the operator key is missing: give --operator-key or set OPERATOR_API_KEY')
  const keyFault = findSecretFault(operatorKey)
  if (keyFault !== undefined) throw new UsageError(`--operator-key or OPERATOR_API_KEY ${keyFault}`)
  const fault = operatorApi === undefined ? 'is missing' : findUrlFault(operatorApi, 'api')
  if (operatorApi === undefined || fault !== undefined) throw new UsageError(`--operator-api ${fault}`)
  const operatorFixtures = createOperatorFixtures({ url: operatorApi, key: operatorKey })
  return { fixtures: operatorFixtures, close: operatorFixtures.close }
}
