/** Each of ten faults of public integrations is named in random calls. */
import { describe, expect, test } from 'vitest'
import { type FaultName, LIVE_FAULTS } from '../../src/verdict/faults/live-fault.ts'
import type { MutantId } from '../mutants/mutants.ts'
import { readPage } from '../mutants/table.ts'
import { createLiveWallet, type LiveWalletOptions, placeBet, readBalance, sendCall } from './live-wallet.ts'
import { type HistoryOptions, playHistory } from './random-history.ts'

/** Plays until the fault is named, at most this many histories. */
const SEEDS = [1, 2, 3]

async function findCauses(
  faults: readonly MutantId[],
  { live: options = {}, history = {} }: { live?: LiveWalletOptions; history?: Partial<HistoryOptions> } = {},
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (const seed of SEEDS) {
    const live = createLiveWallet({ faults, ...options })
    await playHistory(live, { seed, bursts: 60, ...history })
    for (const { cause, kind, count } of live.judge.sum().causes)
      if (kind === 'wrong') found.set(cause, (found.get(cause) ?? 0) + count)
  }
  return found
}

/** The cause that was named most often. */
function findMain(causes: ReadonlyMap<string, number>): string | undefined {
  return [...causes].sort(([, a], [, b]) => b - a)[0]?.[0]
}

const KWD: { live: LiveWalletOptions; history: Partial<HistoryOptions> } = {
  live: { currency: 'KWD', scale: 3 },
  history: { stakes: ['10', '1.003', '2.125', '30.007'], payouts: ['0', '2.006', '15.111', '9'] },
}

const FAULTS: readonly (readonly [fault: MutantId, cause: FaultName])[] = [
  ['place-repeat-debits', 'double debit on repeat'],
  ['settle-repeat-pays', 'payout twice'],
  ['resettle-on-top', 'resettle on top'],
  ['rollback-unknown-credits', 'refund without stake'],
  ['tombstone-missing', 'tombstone missing'],
  ['float-balance', 'floats'],
  ['float-amount-cut', 'cents lost by floats'],
  ['signature-over-reserialised-json', 'signature over re-written JSON'],
  ['settle-cancelled-pays', 'settle after refund'],
]

describe('the judge names the fault of a wallet:', () => {
  test.each(FAULTS)('%s is "%s"', async (fault, cause) => {
    expect(findMain(await findCauses([fault]))).toBe(cause)
    const cases = readPage().get(fault)
    expect(cases).toContain(LIVE_FAULTS[cause])
  })

  test('a second debit in a wallet whose balances are floating-point numbers', async () => {
    const causes = await findCauses(['float-balance', 'place-repeat-debits'])
    expect([...causes.keys()]).toEqual(expect.arrayContaining(['floats', 'double debit on repeat']))
  })

  test('cents that are lost at three decimals', async () => {
    const causes = await findCauses(['two-decimals-everywhere', 'decimals-rounded'], KWD)
    expect(findMain(causes)).toBe('cents lost at three decimals')
  })

  test('a race of two bets of 80 on a balance of 100', async () => {
    const live = createLiveWallet({ faults: ['race-funds'], balance: '100' })
    const [player] = live.players
    if (player === undefined) throw new Error('there is no player')
    await readBalance(live, player)
    await Promise.all(['1', '2'].map((name) => sendCall(live, placeBet(live, player, `bet-number-${name}`, '80'))))
    expect(live.verdicts.map(({ kind, cause }) => cause ?? kind)).toEqual(['right', 'right', 'race of two bets'])
    await readBalance(live, player)
    expect(live.judge.sum()).toMatchObject({ wrong: 1, causes: [{ cause: 'race of two bets', caseId: 'race-01' }] })
  })
})
