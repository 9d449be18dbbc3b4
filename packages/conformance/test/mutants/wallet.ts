/**
 * A small, correct wallet in memory over real HTTP, written from the interface and the decisions
 * alone. With `fault` it is a mutant. The tests of the conformance kit use it: the correct wallet
 * must pass, and each mutant must fail.
 */
import { type Clock, systemClock } from '@purser/runtime/clock'
import { recordedFault } from './fired.ts'
import { type Faults, type MutantId, NO_FAULTS } from './mutants.ts'
import { listen } from './server.ts'
import type { Wallet } from './state.ts'
import { createTurns } from './turns.ts'

export interface WalletOptions {
  readonly fault?: MutantId
  /** Several faults; `fired` then stays empty. */
  readonly faults?: readonly MutantId[]
  readonly clock?: Clock
  readonly clawback?: Wallet['clawback']
  /** Without /user/balance the kit probes balances with bets. */
  readonly hidesBalances?: boolean
}

export interface RunningWallet {
  readonly url: string
  readonly secret: string
  readonly operatorKey: string
  /** Bodies of the calls that read the fault, even if it had no effect. */
  readonly fired: ReadonlySet<string>
  close(): Promise<void>
}

const SECRET = 'the-secret-of-the-test-wallet'
const OPERATOR_KEY = 'the-operator-key-of-the-test-wallet'

export async function startTestWallet(options: WalletOptions = {}): Promise<RunningWallet> {
  const { fault, clock = systemClock, clawback = 'refuse', hidesBalances = false } = options
  const fired = new Set<string>()
  const several: Faults = options.faults === undefined ? NO_FAULTS : new Set(options.faults)
  const faults = fault === undefined ? several : recordedFault(fault, fired)
  const isSlow = [...(options.faults ?? []), fault].some((id) => id?.startsWith('race-'))
  const { url, close } = await listen({ ...createState(faults, clock, clawback), hidesBalances, isSlow })
  return { url, secret: SECRET, operatorKey: OPERATOR_KEY, fired, close }
}

/** The state of a wallet without a server, with any number of faults. */
export function createWalletInMemory(
  faults: readonly MutantId[],
  { clawback = 'refuse', clock = systemClock }: Pick<WalletOptions, 'clawback' | 'clock'> = {},
): Wallet {
  const isSlow = faults.some((fault) => fault.startsWith('race-'))
  return { ...createState(new Set(faults), clock, clawback), hidesBalances: false, isSlow }
}

function createState(
  faults: Faults,
  clock: Clock,
  clawback: Wallet['clawback'],
): Omit<Wallet, 'hidesBalances' | 'isSlow'> {
  return {
    ...{ faults, clock, clawback, secret: SECRET, operatorKey: OPERATOR_KEY, inTurn: createTurns() },
    ...{ players: new Map(), sessions: new Map(), bets: new Map(), references: new Map(), movements: new Map() },
    ...{ requestIds: new Map(), placeRequests: new Set(), bodiesSeen: new Set(), writing: new Set() },
  }
}
