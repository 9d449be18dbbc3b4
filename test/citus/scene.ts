/** A wallet over three nodes, with bettors, for tests of what goes wrong between the nodes; and what must be true behind it. */
import { expect, type TestContext } from 'vitest'
import { run } from '../cli/command.ts'
import { CITUS_BUCKETS } from '../support/database.ts'
import { exitOf, MONEY, newPlayers, newWallet } from '../support/fault-scene.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { isAllowedInAFault, startBetting } from '../support/stubborn-load.ts'

/** So many that each of two workers has some. */
const PLAYERS = 12
const BETTORS = 12
/** Calls in a row that are answered with yes: it works again. */
const IN_A_ROW = 50

const random = seededRandom('citus')

/** `databaseUrl`: distributed by as many buckets as the tests have, which no wallet has used yet. */
export async function startScene(context: TestContext, databaseUrl: string) {
  const wallet = await newWallet(context, { databaseUrl, env: { PURSER_BUCKETS: `${CITUS_BUCKETS}` } })
  const players = await newPlayers(wallet, PLAYERS)
  const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random })
  return {
    ...{ random, betting },
    /** Calls that the gate has taken. */
    async taken(): Promise<number> {
      const text = await (await fetch(`${wallet.url}/metrics`)).text()
      return Number(/^wallet_fast_path_calls_total (\d+)$/m.exec(text)?.[1])
    },
    /** Resolves when a call that was sent from now on has not been answered with yes. */
    refused: () => {
      const from = performance.now()
      return async () => betting.answers.some(({ sentAt, status }) => sentAt > from && status !== 200)
    },
    /** What was answered is there, once; what was not is there once or not at all; the audits find nothing. */
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
