/**
 * Bettors with faults name each of ten faults that public integrations had, within three minutes.
 * Each test ends as soon as its fault is named.
 */
import { afterEach, describe, expect, test } from 'vitest'
import type { MutantId } from '../../../../conformance/test/mutants/mutants.ts'
import { type DevSession, startDevSession } from './dev-session.ts'

/** Seconds. */
const LIMIT = '180'

const FAULTS: readonly (readonly [faults: readonly MutantId[], causes: string])[] = [
  [['place-repeat-debits'], 'double debit on repeat'],
  [['settle-repeat-pays'], 'payout twice'],
  [['resettle-on-top'], 'resettle on top'],
  [['rollback-unknown-credits'], 'refund without stake'],
  [['tombstone-missing'], 'tombstone missing'],
  [['race-funds'], 'race of two bets'],
  [['float-balance'], 'floats'],
  [['float-amount-cut'], 'cents lost by floats'],
  [['signature-over-reserialised-json'], 'signature over re-written JSON'],
  [['two-decimals-everywhere', 'decimals-cut'], 'cents lost at three decimals'],
  [['two-decimals-everywhere', 'decimals-rounded'], 'cents lost at three decimals'],
  [['settle-cancelled-pays'], 'settle after refund'],
]

let session: DevSession | undefined
afterEach(async () => {
  await session?.stop()
  session = undefined
})

describe('purser dev --bettors 5 --faults 0.1 names within three minutes', () => {
  test.each(FAULTS)('the fault of a wallet with %s as "%s"', async (faults, cause) => {
    session = await startDevSession({
      ...{ faults, players: 2, currencies: ['EUR', 'KWD'] },
      flags: { bettors: '5', faults: '0.1', duration: LIMIT, json: true },
    })
    await session.printed(new RegExp(`"kind":"wrong"[^}]*"cause":"(${cause})"`))
    expect(await session.stop()).toBe(1)
  })
})
