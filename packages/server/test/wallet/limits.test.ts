// Codes 11 to 16 (cases 23, 51): the limits of a UTC day in one currency, and players whose bets
// are barred.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered, expectDone, expectRefused } from './answers.ts'
import { birthdayOfAge, blocked, patch, spentAll } from './moments.ts'
import { balanceOf, deliver, must, newScene, nextBet, type Scene } from './scene.ts'

const HOUR = 3_600_000

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

/** A player with limits at noon of a new day, so that no test reaches midnight by itself. */
async function limitedPlayer(limits: object, hour = 12): Promise<Scene> {
  const now = wallet.clock.now()
  const target = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, hour)
  wallet.clock.advance(target - now.getTime())
  const scene = await newScene(wallet)
  await patch(scene, { limits })
  return scene
}

async function bet(scene: Scene, amount: number, over = {}): Promise<{ scene: Scene; code: unknown }> {
  const next = nextBet(scene)
  return { scene: next, code: answered(await deliver(next, 'place', { amount, ...over })) }
}

/** Places bets one after another; resolves to their outcomes. */
async function bets(scene: Scene, ...amounts: number[]): Promise<unknown[]> {
  const codes: unknown[] = []
  for (const amount of amounts) codes.push((await bet(scene, amount)).code)
  return codes
}

async function dollars(scene: Scene): Promise<{ currency: string; token: string }> {
  await wallet.operator.deposit(scene.userId, '1000.00', 'USD')
  return { currency: 'USD', token: await wallet.operator.session(scene.userId, { currency: 'USD' }) }
}

describe('the stake limit (11)', () => {
  it('can be reached to the cent and not exceeded', async () => {
    const scene = await limitedPlayer({ stake: '100.00' })
    expect(await bets(scene, 60, 40.01, 40, 0.01)).toEqual([200, 11, 200, 11])
    expect(await balanceOf(scene)).toBe('900.00')
  })

  it('applies to the sum of stakes, and a win does not raise it', async () => {
    const scene = await limitedPlayer({ stake: '100.00' })
    const { scene: won } = await bet(scene, 60)
    await must(won, 'settle', { amount: 500 })
    expect(await bets(scene, 41, 40)).toEqual([11, 200])
  })

  it('does not count a bet that was rolled back or rejected', async () => {
    const scene = await limitedPlayer({ stake: '100.00' })
    const { scene: cancelled } = await bet(scene, 100)
    expect(await bets(scene, 1, 2)).toEqual([11, 11])
    await must(cancelled, 'rollback')
    expect(await bets(scene, 100, 0.01)).toEqual([200, 11])
  })
})

describe('the loss limit (12)', () => {
  it('counts stakes', async () => {
    const scene = await limitedPlayer({ loss: '100.00' })
    expect(await bets(scene, 60, 40.01, 40, 0.01)).toEqual([200, 12, 200, 12])
  })

  it('is raised by payouts and lowered by what is taken back', async () => {
    const scene = await limitedPlayer({ loss: '100.00' })
    const { scene: one } = await bet(scene, 100)
    await must(one, 'settle', { resultType: 'lost', amount: 0 })
    expect(await bets(scene, 0.01)).toEqual([12])
    await must(one, 'settle', { amount: 50 })
    expect(await bets(scene, 50.01, 50)).toEqual([12, 200])
    await must(one, 'unsettle')
    expect(await bets(scene, 0.01)).toEqual([12])
    await must(one, 'rollback')
    expect(await bets(scene, 50, 0.01)).toEqual([200, 12])
  })
})

describe('the bet-count limit (13)', () => {
  it('counts accepted bets that were not rolled back', async () => {
    const scene = await limitedPlayer({ betCount: 2 })
    const { scene: first } = await bet(scene, 1)
    expect(await bets(scene, 2000, 1, 1)).toEqual([7, 200, 13])
    await must(first, 'rollback')
    expect(await bets(scene, 1, 1)).toEqual([200, 13])
  })

  it('of 0 allows no bet', async () => {
    expect(await bets(await limitedPlayer({ betCount: 0 }), 1)).toEqual([13])
  })

  it('does not count a repeat', async () => {
    const scene = await limitedPlayer({ betCount: 1 })
    await must(scene, 'place')
    await must(scene, 'place')
    expect(await bets(scene, 1)).toEqual([13])
  })
})

describe.each([
  { limits: { stake: '100.00' }, code: 11 },
  { limits: { loss: '100.00' }, code: 12 },
  { limits: { betCount: 1 }, code: 13 },
])('a limit for one UTC day and one currency ($code)', ({ limits, code }) => {
  it('restarts at midnight UTC, and not a second earlier', async () => {
    const scene = await limitedPlayer(limits, 22)
    const { scene: used } = await bet(scene, 100)
    wallet.clock.advance(2 * HOUR - 60_000)
    expect(await bets(scene, 1)).toEqual([code])
    wallet.clock.advance(61_000)
    expect(await bets(scene, 100, 1)).toEqual([200, code])
    expect(await balanceOf(used)).toBe('800.00')
  })

  it('is not raised by the rollback of a bet of the previous day', async () => {
    const scene = await limitedPlayer(limits, 23)
    const { scene: yesterday } = await bet(scene, 100)
    wallet.clock.advance(2 * HOUR)
    expect(await bets(scene, 100)).toEqual([200])
    await must(yesterday, 'rollback')
    expect(await bets(scene, 0.01)).toEqual([code])
  })

  it('is counted separately for each currency', async () => {
    const scene = await limitedPlayer(limits)
    const usd = await dollars(scene)
    expect(await bets(scene, 100, 1)).toEqual([200, code])
    expect([(await bet(scene, 100, usd)).code, (await bet(scene, 1, usd)).code]).toEqual([200, code])
  })

  it('is counted separately for each player', async () => {
    const scene = await limitedPlayer(limits)
    expect(await bets(scene, 100, 1)).toEqual([200, code])
    expect(await bets(await newScene(wallet), 500, 1)).toEqual([200, 200])
  })

  it('is removed when it is set to null', async () => {
    const scene = await limitedPlayer(limits)
    expect(await bets(scene, 100, 1)).toEqual([200, code])
    await patch(scene, { limits: Object.fromEntries(Object.keys(limits).map((name) => [name, null])) })
    expect(await bets(scene, 500)).toEqual([200])
  })

  it('counts bets that were placed before it was set', async () => {
    const scene = await limitedPlayer({})
    expect(await bets(scene, 100)).toEqual([200])
    await patch(scene, { limits })
    expect(await bets(scene, 0.01)).toEqual([code])
  })

  it('allows exactly one of ten bets that arrive at once', async () => {
    const scene = await limitedPlayer(limits)
    const ten = await Promise.all(Array.from({ length: 10 }, () => bet(scene, 100)))
    expect(ten.map((one) => one.code).sort()).toEqual(
      [code, code, code, code, code, code, code, code, code, 200].sort(),
    )
    expect(await balanceOf(scene)).toBe('900.00')
  })

  it('never stops a Settle, Unsettle or Rollback (L-5)', async () => {
    const scene = await limitedPlayer(limits)
    const { scene: placed } = await bet(scene, 100)
    for (const column of ['settle', 'unsettle', 'rollback'] as const) {
      expectDone(await deliver(placed, column), placed.betId)
    }
    expect(await balanceOf(scene)).toBe('1000.00')
  })
})

describe('a Place bet is rejected', () => {
  it('while the player is blocked (9)', async () => {
    const scene = await newScene(wallet)
    await blocked(scene)
    expect(await bets(scene, 1)).toEqual([9])
    await patch(scene, { status: 'active' })
    expect(await bets(scene, 1)).toEqual([200])
  })

  it('while the player is self-excluded (14), and accepted after that time', async () => {
    const scene = await newScene(wallet)
    const until = new Date(wallet.clock.now().getTime() + HOUR)
    await patch(scene, { selfExcludedUntil: until.toISOString() })
    wallet.clock.advance(HOUR - 60_000)
    expect(await bets(scene, 1)).toEqual([14])
    wallet.clock.advance(61_000)
    expect(await bets(scene, 1)).toEqual([200])
  })

  it('while the player is marked as not verified (15), and accepted with no mark', async () => {
    const scene = await newScene(wallet)
    expect(await bets(scene, 1)).toEqual([200])
    await patch(scene, { verified: false })
    expect(await bets(scene, 1)).toEqual([15])
    await patch(scene, { verified: true })
    expect(await bets(scene, 1)).toEqual([200])
  })

  it('until midnight of the player’s 18th birthday (16)', async () => {
    const scene = await limitedPlayer({}, 23)
    const tomorrow = new Date(wallet.clock.now().getTime() + 2 * HOUR).toISOString().slice(4, 10)
    const year = new Date(wallet.clock.now().getTime() + 2 * HOUR).getUTCFullYear() - 18
    await patch(scene, { birthday: `${year}${tomorrow}` })
    expect(await bets(scene, 1)).toEqual([16])
    wallet.clock.advance(2 * HOUR)
    expect(await bets(scene, 1)).toEqual([200])
  })

  it.each([{}, { betCount: 50 }])(
    'for a player of 17 years, and accepted for one of exactly 18; limits: %o',
    async (limits) => {
      const scene = await limitedPlayer(limits)
      await patch(scene, { birthday: birthdayOfAge(scene, 18) })
      expect(await bets(scene, 1)).toEqual([200])
      await patch(scene, { birthday: birthdayOfAge(scene, 17) })
      expect(await bets(scene, 1)).toEqual([16])
    },
  )

  it('for a player without money (7), with any limits', async () => {
    const scene = await limitedPlayer({ stake: '5000.00', loss: '5000.00', betCount: 50 })
    await spentAll(scene)
    expectRefused(await deliver(scene, 'place', { amount: 0.01 }), 7)
  })
})

describe('on a 29 February', () => {
  let leap: TestWallet
  beforeAll(async () => {
    leap = await startWallet()
    leap.clock.advance(Date.UTC(2028, 1, 29, 12) - leap.clock.now().getTime())
  })
  afterAll(() => leap.stop())

  it.each([
    ['2010-02-28', 200],
    ['2010-03-01', 16],
  ])('a player born on %s gets code %i', async (birthday, code) => {
    const scene = await newScene(leap)
    await patch(scene, { birthday })
    expect(await bets(scene, 1)).toEqual([code])
    await leap.auditIsClean()
  })
})
