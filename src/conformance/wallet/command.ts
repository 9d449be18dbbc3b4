/** What is special to `conformance wallet`: where the wallet is, and where its players come from. */

import { findUrlFault } from '../../protocol/base-url.ts'
import { findSecretFault, splitSecrets } from '../../protocol/secret-text.ts'
import { WrongUse } from '../../runtime/wrong-use.ts'
import { type CommandDeps, type CommonFlags, type Judge, type Kit, readText, runCommand } from '../command.ts'
import type { Case } from './case/case.ts'
import { CASES } from './cases/all.ts'
import { runKit } from './play/run.ts'
import { readFixturesFile } from './players/file.ts'
import { createOperatorFixtures } from './players/operator.ts'
import type { Fixtures } from './players/players.ts'

export interface ConformanceWalletFlags extends CommonFlags {
  readonly baseUrl?: string
  readonly secret?: string
  readonly fixtures?: string
  readonly operatorApi?: string
  readonly operatorKey?: string
  /** Seconds; true for the usual ones. */
  readonly patient?: string | true
}

/** Resolves to the exit code. */
export function runConformanceWallet(flags: ConformanceWalletFlags, deps: CommandDeps): Promise<number> {
  return runCommand(walletKit(flags, deps.env ?? {}), flags, deps)
}

function walletKit(flags: ConformanceWalletFlags, env: NodeJS.ProcessEnv): Kit<Case> {
  const { baseUrl, secret, fixtures, operatorApi, operatorKey, patient } = flags
  return {
    judged: 'wallet',
    cases: CASES,
    target: [
      { name: '--base-url', value: baseUrl },
      { name: '--secret', value: secret, variable: '$PARTNER_SECRET' },
      { name: '--fixtures', value: fixtures },
      { name: '--operator-api', value: operatorApi },
      { name: '--operator-key', value: operatorKey, variable: '$OPERATOR_API_KEY' },
      { name: '--patient', value: patient },
    ],
    prepare: () => prepare({ ...secretsOf(env), ...flags }),
  }
}

function prepare(flags: ConformanceWalletFlags): Judge<Case> {
  const { baseUrl, secret } = required(flags)
  const patienceMs = patienceOf(flags)
  const { fixtures, close } = fixturesFor(flags)
  return { run: (cases, how) => runKit({ ...how, baseUrl, secret, fixtures, cases, patienceMs }), close }
}

/** As long as a cache of idempotency keys often lives. */
const PATIENCE_S = 300
const MS_PER_SECOND = 1_000

function patienceOf({ patient }: ConformanceWalletFlags): number {
  if (patient === undefined) return 0
  if (patient === true) return PATIENCE_S * MS_PER_SECOND
  if (!/^[1-9]\d{0,4}$/.test(patient)) throw new WrongUse('--patient: give whole seconds, as in --patient 300')
  return Number.parseInt(patient, 10) * MS_PER_SECOND
}

/** Of several secrets, valid at once, any will do. */
function secretsOf({ PARTNER_SECRET: secrets, OPERATOR_API_KEY: operatorKey }: NodeJS.ProcessEnv) {
  const [secret] = splitSecrets(secrets ?? '')
  return { ...(secret !== undefined && { secret }), ...(operatorKey !== undefined && { operatorKey }) }
}

function required({ baseUrl, secret }: ConformanceWalletFlags): { baseUrl: string; secret: string } {
  if (baseUrl === undefined)
    throw new WrongUse('give --base-url, the address of the wallet, as in https://wallet.example')
  const fault = findUrlFault(baseUrl, 'wallet')
  if (fault !== undefined) throw new WrongUse(`--base-url, the address of the wallet, ${fault}`)
  if (secret === undefined || secret === '')
    throw new WrongUse('give --secret or set PARTNER_SECRET, the shared secret')
  const secretFault = findSecretFault(secret)
  if (secretFault !== undefined) throw new WrongUse(`--secret or PARTNER_SECRET ${secretFault}`)
  return { baseUrl, secret }
}

function fixturesFor({ fixtures, operatorApi, operatorKey }: ConformanceWalletFlags): {
  fixtures: Fixtures
  close: () => Promise<void>
} {
  if ((fixtures === undefined) === (operatorApi === undefined))
    throw new WrongUse(
      'say where players come from: --fixtures FILE for any wallet, or --operator-api URL for a Purser wallet',
    )
  if (fixtures !== undefined)
    return { fixtures: readFixturesFile(readText('--fixtures', fixtures)), close: async () => {} }
  if (operatorKey === undefined) throw new WrongUse('give --operator-key or set OPERATOR_API_KEY')
  const keyFault = findSecretFault(operatorKey)
  if (keyFault !== undefined) throw new WrongUse(`--operator-key or OPERATOR_API_KEY ${keyFault}`)
  const fault = operatorApi === undefined ? 'is missing' : findUrlFault(operatorApi, 'api')
  if (operatorApi === undefined || fault !== undefined) throw new WrongUse(`--operator-api ${fault}`)
  const made = createOperatorFixtures({ url: operatorApi, key: operatorKey })
  return { fixtures: made, close: made.close }
}
