// A Place bet that was refused with 7, 9 or 11-16 stays refused after its reason has ended (I-3).
// Any other refusal is not stored, so the same bet id can still be placed.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused } from './answers.ts'
import {
  birthdayOfAge,
  blocked,
  expiredToken,
  foreignToken,
  type MembersFactory,
  type Moment,
  outOfDateToken,
  patch,
  richer,
  selfExcluded,
  spentAll,
  underAge,
  unknownToken,
  unverified,
} from './moments.ts'
import { balanceOf, deliver, must, newScene, nextBet, resend, type Scene, stateOf } from './scene.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

interface Cause {
  code: number
  because: string
  arises: Moment
  ends: Moment
}

const limited = (limits: object): Moment => {
  return (scene) => patch(scene, { limits })
}

const causes: Cause[] = [
  { code: 7, because: 'there is no money', arises: spentAll, ends: richer },
  { code: 9, because: 'the player is blocked', arises: blocked, ends: (scene) => patch(scene, { status: 'active' }) },
  { code: 11, because: 'there is a stake limit', arises: limited({ stake: '99.99' }), ends: limited({ stake: null }) },
  { code: 12, because: 'there is a loss limit', arises: limited({ loss: '99.99' }), ends: limited({ loss: null }) },
  {
    code: 13,
    because: 'there is a bet-count limit',
    arises: limited({ betCount: 0 }),
    ends: limited({ betCount: null }),
  },
  {
    code: 14,
    because: 'the player is self-excluded',
    arises: selfExcluded,
    ends: (scene) => patch(scene, { selfExcludedUntil: null }),
  },
  {
    code: 15,
    because: 'the player is not verified',
    arises: unverified,
    ends: (scene) => patch(scene, { verified: true }),
  },
  {
    code: 16,
    because: 'the player is under age',
    arises: underAge,
    ends: (scene) => patch(scene, { birthday: birthdayOfAge(scene, 30) }),
  },
]

async function refusedScene({ arises, code }: Cause): Promise<Scene> {
  const scene = await newScene(wallet)
  await arises(scene)
  expectRefused(await deliver(scene, 'place'), code)
  return scene
}

describe.each(causes)('a bet rejected with code $code because $because', (cause) => {
  it('moves no money and is recorded as refused', async () => {
    const scene = await newScene(wallet)
    await cause.arises(scene)
    const before = await balanceOf(scene)
    expectRefused(await deliver(scene, 'place'), cause.code)
    expect(await balanceOf(scene)).toBe(before)
    expect(await stateOf(scene)).toBe('refused')
  })

  it('stays refused after the reason ends, while a new bet is accepted', async () => {
    const scene = await refusedScene(cause)
    const first = scene.sent.place?.answer
    await cause.ends(scene)
    await must(nextBet(scene), 'place')
    const before = await balanceOf(scene)
    const again = [
      await resend(scene, 'place'),
      await deliver(scene, 'place'),
      await deliver(scene, 'place', { amount: 1 }),
    ]
    for (const answer of again) {
      expectRefused(answer, cause.code)
      expect(answer.body).toEqual(first?.body)
    }
    expect(await balanceOf(scene)).toBe(before)
  })

  it('stays refused with any token and after the player is blocked (R-6)', async () => {
    const scene = await refusedScene(cause)
    await cause.ends(scene)
    await blocked(scene)
    for (const token of [expiredToken, unknownToken, foreignToken, outOfDateToken]) {
      expectRefused(await deliver(scene, 'place', await token(scene)), cause.code)
    }
  })

  it('is rolled back with 200 and without money, and stays refused', async () => {
    const scene = await refusedScene(cause)
    const before = await balanceOf(scene)
    for (const errorCode of [52, 10]) expectDone(await deliver(scene, 'rollback', { errorCode }), scene.betId)
    expectDone(await resend(scene, 'rollback'), scene.betId)
    expect(await balanceOf(scene)).toBe(before)
    expectRefused(await resend(scene, 'place'), cause.code)
    expect(await stateOf(scene)).toBe('refused')
  })

  it('has no stake to settle or unsettle', async () => {
    const scene = await refusedScene(cause)
    const before = await balanceOf(scene)
    expectRefused(await deliver(scene, 'settle'), 5)
    expectRefused(await deliver(scene, 'unsettle'), 5)
    expect(await balanceOf(scene)).toBe(before)
  })
})

describe('a bet rejected with another code is not recorded:', () => {
  const forgotten: { code: number; because: string; members: MembersFactory }[] = [
    { code: 3, because: 'an unknown token', members: unknownToken },
    { code: 3, because: "another player's token", members: foreignToken },
    { code: 4, because: 'an expired token', members: expiredToken },
    { code: 5, because: 'a currency that is not its token’s', members: async () => ({ currency: 'USD' }) },
    { code: 5, because: 'an amount with too many decimals', members: async () => ({ amount: 1.001 }) },
    { code: 5, because: 'a stake of nothing', members: async () => ({ amount: 0 }) },
  ]

  it.each(forgotten)(
    'after $code for $because the same bet id is accepted in a valid call',
    async ({ code, members }) => {
      const scene = await newScene(wallet)
      expectRefused(await deliver(scene, 'place', await members(scene)), code)
      expect(await stateOf(scene)).toBe('nothing')
      const token = await wallet.operator.session(scene.userId)
      expectDone(await deliver(scene, 'place', { token }), scene.betId)
      expect(await balanceOf(scene)).toBe('900.00')
    },
  )

  it('a bet of an unknown player is rejected with code 3 (case 22)', async () => {
    const scene = await newScene(wallet)
    expectRefused(await deliver({ ...scene, userId: `nobody-${randomUUID()}` }, 'place'), 3)
    expect(await balanceOf(scene)).toBe('1000.00')
  })
})
