// Day limits (11 to 13) of processes with different clocks (W-2): the day that has begun for the
// account counts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered } from './answers.ts'
import { patch } from './moments.ts'
import { deliver, must, newScene, nextBet, type Scene } from './scene.ts'

const HOUR = 3_600_000

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

async function limitedPlayer(limits: object, hour: number): Promise<Scene> {
  const now = wallet.clock.now()
  const target = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, hour)
  wallet.clock.advance(target - now.getTime())
  const scene = await newScene(wallet)
  await patch(scene, { limits })
  return scene
}

/** Places bets one after another; resolves to their outcomes. */
async function bets(scene: Scene, ...amounts: number[]): Promise<unknown[]> {
  const codes: unknown[] = []
  for (const amount of amounts) codes.push(answered(await deliver(nextBet(scene), 'place', { amount })))
  return codes
}

describe('a day that starts earlier in another process (W-2)', () => {
  const [DAY, MINUTE] = [24 * HOUR, 60_000]
  let ahead: TestWallet
  beforeAll(async () => {
    const env = { PARTNER_SECRET: wallet.secret, OPERATOR_API_KEY: wallet.operatorKey }
    ahead = await startWallet({ databaseUrl: wallet.databaseUrl, env })
  })
  afterAll(() => ahead.stop())

  /** The player's token is valid on all of these days. */
  async function playerForDays(limits: object, hour = 12): Promise<Scene> {
    const scene = await limitedPlayer(limits, hour)
    return { ...scene, token: await wallet.operator.session(scene.userId, { ttlSeconds: (10 * DAY) / 1_000 }) }
  }

  /**
   * The process whose clock is ahead gets a bet of 6. Resolves to the outcomes of later bets of 6
   * at the other process.
   */
  async function sixAfterSix(scene: Scene, byMs: number, count: number): Promise<unknown[]> {
    ahead.clock.advance(wallet.clock.now().getTime() + byMs - ahead.clock.now().getTime())
    const next = { ...nextBet(scene), wallet: ahead }
    await must(next, 'place', { amount: 6 })
    return bets(scene, ...Array.from({ length: count }, () => 6))
  }

  it.each([
    ['stake', 11],
    ['loss', 12],
  ])('counts for the limit of %s in a process that still has yesterday', async (limit, code) => {
    const scene = await playerForDays({ [limit]: '10.00' })
    expect(await sixAfterSix(scene, DAY, 4)).toEqual([code, code, code, code])
    expect(await bets(scene, 4)).toEqual([200])
  })

  it('counts for the limit of bets', async () => {
    const scene = await playerForDays({ betCount: 2 })
    expect(await sixAfterSix(scene, DAY, 3)).toEqual([200, 13, 13])
  })

  it('counts around midnight while two clocks differ', async () => {
    const scene = await playerForDays({ stake: '10.00' }, 23)
    wallet.clock.advance(HOUR - 10 * MINUTE)
    expect(await bets(scene, 6, 6)).toEqual([200, 11])
    expect(await sixAfterSix(scene, 20 * MINUTE, 2)).toEqual([11, 11])
    wallet.clock.advance(10 * MINUTE)
    expect(await bets(scene, 6, 4, 0.01)).toEqual([11, 200, 11])
  })

  it('merges with the actual day when that day starts', async () => {
    const scene = await playerForDays({ stake: '10.00' })
    expect(await sixAfterSix(scene, DAY, 1)).toEqual([11])
    wallet.clock.advance(DAY)
    expect(await bets(scene, 6, 4, 0.01)).toEqual([11, 200, 11])
    wallet.clock.advance(DAY)
    expect(await bets(scene, 6, 6)).toEqual([200, 11])
  })
})
