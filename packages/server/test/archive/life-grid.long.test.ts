// Runs the cells of the life table (life-grid.ts), but archives the past of the bet before the call
// (O-13). Answer, effect and time must be as in the table. One way for each line is enough.
import { afterAll, describe, expect, it } from 'vitest'
import { dueOf } from '../support/nightly.ts'
import type { TestWallet } from '../support/wallet.ts'
import { expectLine, lines, walletWith, waysOf } from '../wallet/life-grid-lived.ts'
import { archiveAll, DAY_MS, findingsInFiles, keepTokens, newFolder, PAST_MIDNIGHT_MS } from './archive-fixtures.ts'

/** Each way takes more than a day of the wallet's clock, which must stay behind the database's. */
const SINCE_MS = 400 * DAY_MS

/**
 * Lines about the player or the token are left out, because an archive contains neither; three
 * lines in four remain.
 */
const OF_PLAYERS = /token$|^(blocked|self-excluded|unverified|under age|test player|whoever)$/

/** Days until each line was run. */
const DAYS = 8
const due = dueOf(
  lines.filter(({ name }) => !OF_PLAYERS.test(name)),
  DAYS,
)

describe('with PURSER_CLAWBACK=refuse and PURSER_BUCKETS=4', () => {
  const folder = newFolder()
  let archived = 0
  let last: TestWallet | undefined
  walletWith({ PURSER_CLAWBACK: 'refuse', PURSER_BUCKETS: '4' }, SINCE_MS)
  const between = async (wallet: TestWallet) => {
    last = wallet
    await keepTokens(wallet)
    const { transfers, broken } = await archiveAll(wallet, folder.path)
    archived += transfers
    expect(broken).toBe(0)
  }
  afterAll(async () => {
    expect(last?.clock.now().getTime()).toBeLessThan(Date.now())
    if (last) expect(await findingsInFiles(last, folder.path)).toEqual([])
  })

  it.each(due)('the archive keeps the books of $call, $name', async (line) => {
    archived = 0
    await expectLine(line, waysOf(line.name).slice(0, 1), { policy: 0, pause: PAST_MIDNIGHT_MS, between })
    expect(archived).toBeGreaterThan(0)
  })
})
