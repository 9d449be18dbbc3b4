/**
 * Starts a wallet on three Citus nodes and bettors that use it, for tests of faults between the
 * nodes.
 */
import { expect, type TestContext } from 'vitest'
import { run } from '../cli/command.ts'
import { CITUS_BUCKETS } from '../support/database.ts'
import { exitOf, MONEY, newPlayers, newWallet } from '../support/fault-scene.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { isAllowedInAFault, startBetting } from '../support/stubborn-load.ts'

/** Enough for players on both workers. */
const PLAYERS = 12
const BETTORS = 12
/** Successful calls in a row that count as recovery. */
const IN_A_ROW = 50

const random = seededRandom('citus')

/** `databaseUrl`: a distributed database that no wallet has used. */
export async function startScene(context: TestContext, databaseUrl: string) {
  const wallet = await newWallet(context, { databaseUrl, env: { PURSER_BUCKETS: `${CITUS_BUCKETS}` } })
  const players = await newPlayers(wallet, PLAYERS)
  const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random })
  return {
    ...{ random, betting },
    /** Calls that the fast path accepted. */
    async taken(): Promise<number> {
      const text = await (await fetch(`${wallet.url}/metrics`)).text()
      return Number(/^wallet_fast_path_calls_total (\d+)$/m.exec(text)?.[1])
    },
    /** Returns a function that tells whether a call sent since then has failed. */
    refused: () => {
      const from = performance.now()
      return async () => betting.answers.some(({ sentAt, status }) => sentAt > from && status !== 200)
    },
    /**
     * Every answered call is stored once, every other call at most once, and the audits have no
     * findings.
     */
    async isWhole(): Promise<void> {
      await betting.recovered(IN_A_ROW)
      await betting.stop()
      expect(betting.answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
      await expectSameBets(wallet, players, betting.bets, MONEY)
      for (const audit of [['audit'], ['audit', '--changed']])
        expect(await run(audit, { DATABASE_URL: databaseUrl })).toMatchObject({
          code: 0,
          stdout: 'audit: no findings\n',
        })
      expect(await exitOf(wallet, 'SIGTERM')).toBe(0)
    },
  }
}
