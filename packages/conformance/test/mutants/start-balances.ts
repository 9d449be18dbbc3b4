/** Runs cases of the kit against a test wallet whose players have a given start balance. */

import { type OperatorClient, operatorClient, playerWithMoney } from '../../../server/test/support/operator.ts'
import { WALLET_CASES } from '../../src/wallet/cases/wallet-cases.ts'
import { runWalletKit } from '../../src/wallet/play/wallet-kit-run.ts'
import { parseFixturesFile } from '../../src/wallet/players/fixtures-file.ts'
import type { PlayerFixtures } from '../../src/wallet/players/player-fixtures.ts'
import { failing } from './judged.ts'
import type { MutantId } from './mutants.ts'
import { startTestWallet } from './wallet.ts'

/** Ten balances whose doubles are too low, too high and exact, with up to 24 bits and with more. */
export const START_BALANCES = [
  ...['10.00', '100.00', '250.00', '999.99', '1000.00'],
  ...['2500.00', '5000.00', '12345.67', '100000.00', '1000000.00'],
]

/** The smallest balance that a fixtures file may state. */
const LEAST_OF_A_FILE = 1000

export interface Judging {
  readonly fault?: MutantId
  readonly start: string
  /** The balance in the file; by default `start`. */
  readonly stated?: string
  readonly hidesBalances: boolean
  readonly only?: readonly string[]
}

export async function failingMusts({ fault, start, stated = start, hidesBalances, only }: Judging): Promise<string[]> {
  const wallet = await startTestWallet({ hidesBalances, ...(fault !== undefined && { fault }) })
  const operator = operatorClient(wallet.url, wallet.operatorKey)
  const cases = WALLET_CASES.filter(({ id }) => only === undefined || only.includes(id))
  try {
    const fixtures =
      Number(start) < LEAST_OF_A_FILE ? freshPlayers(operator, start) : await guidesFile(operator, start, stated)
    const report = await runWalletKit({ baseUrl: wallet.url, secret: wallet.secret, fixtures, cases })
    const musts = report.results.filter(({ level }) => level === 'MUST')
    return failing({ ...report, results: musts })
  } finally {
    await wallet.close()
  }
}

/** Three players, as in the guide's file. */
async function guidesFile(operator: OperatorClient, start: string, balance: string): Promise<PlayerFixtures> {
  const made = await Promise.all([1, 2, 3].map(() => playerWithMoney(operator, start)))
  const players = made.map(({ userId, token }) => ({ userId, token, balance }))
  return parseFixturesFile(JSON.stringify({ currency: 'EUR', players }))
}

/** A new player for each case, because a file accepts none with such a small balance. */
function freshPlayers(operator: OperatorClient, start: string): PlayerFixtures {
  const minorUnits = BigInt(start.replace('.', ''))
  const euro = { currency: 'EUR', scale: 2 }
  return {
    capacity: 4,
    areDisposable: true,
    missing: (kind, needs) =>
      kind === 'ordinary' && needs.length === 0 ? [] : [{ add: 'such a player', why: 'there is none' }],
    async lease() {
      const { userId, token } = await playerWithMoney(operator, start)
      const A = { userId, token, first: euro, balance: minorUnits }
      return { players: { A }, act: () => Promise.reject(new Error('there is no operator')), release() {} }
    },
  }
}
