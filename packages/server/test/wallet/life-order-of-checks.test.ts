// The order of checks: a call with two faults gets the earlier code. The order is signature,
// shape (5), method and type (5), history of the bet id, token (3, 4), player status and limits (9,
// 14, 15, 16, 11, 12, 13), currency (5), funds (7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectRefused } from './answers.ts'
import { cashout, tombstone } from './life-row.ts'
import {
  blocked,
  expiredToken,
  locked,
  type MembersFactory,
  type Moment,
  patch,
  selfExcluded,
  spentAll,
  underAge,
  unknownToken,
  unverified,
} from './moments.ts'
import { balanceOf, bring, callOf, deliver, type Members, methodOf, newScene, type State, stateOf } from './scene.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

interface Fault {
  what: string
  code: number
  members?: MembersFactory
  arises?: Moment
}

const limits: Moment = (scene) => patch(scene, { limits: { stake: '1.00', loss: '1.00', betCount: 0 } })
const wrong = (members: Members): MembersFactory => {
  return async () => members
}

/** In the order of the checks for an unknown bet id. */
const faults: Fault[] = [
  { what: 'a shape that is wrong', code: 5, members: wrong({ amount: '1' }) },
  { what: 'an unknown token', code: 3, members: unknownToken },
  { what: 'an expired token', code: 4, members: expiredToken },
  { what: 'a blocked player', code: 9, arises: blocked },
  { what: 'a self-excluded player', code: 14, arises: selfExcluded },
  { what: 'an unverified player', code: 15, arises: unverified },
  { what: 'a player under age', code: 16, arises: underAge },
  { what: 'a stake limit', code: 11, arises: (scene) => patch(scene, { limits: { stake: '1.00' } }) },
  { what: 'a loss limit', code: 12, arises: (scene) => patch(scene, { limits: { loss: '1.00' } }) },
  { what: 'a bet-count limit', code: 13, arises: (scene) => patch(scene, { limits: { betCount: 0 } }) },
  { what: "a currency that is not the token's", code: 5, members: wrong({ currency: 'USD' }) },
  { what: 'too little money', code: 7, arises: spentAll },
]

const pairs = faults.flatMap((first, index) => faults.slice(index + 1).map((second) => ({ first, second })))
/** A call has one token, which cannot be both unknown and expired. */
const possible = pairs.filter(({ first, second }) => first.code !== 3 || second.code !== 4)

describe('a Place bet with two faults gets the code of the earlier check:', () => {
  const cases = possible.map(({ first, second }) => [first.what, second.what, first.code, first, second] as const)

  it.each(cases)('%s before %s is code %i', async (_first, _second, code, first, second) => {
    const scene = await newScene(wallet)
    // The later fault comes first, because a bet that spends the money must be placed while the
    // player still may.
    for (const { arises } of [second, first]) await arises?.(scene)
    const members = { ...(await second.members?.(scene)), ...(await first.members?.(scene)) }
    const before = await balanceOf(scene)
    expectRefused(await deliver(scene, 'place', members), code)
    expect(await balanceOf(scene)).toBe(before)
  })

  it('the stake limit comes before the other two limits', async () => {
    const scene = await newScene(wallet)
    await limits(scene)
    expectRefused(await deliver(scene, 'place'), 11)
  })
})

describe('the history of the bet id is checked before token, player, currency and balance:', () => {
  const later: Fault[] = faults.slice(1).filter((fault) => fault.what !== 'too little money')
  const seen: { given: State; amount: number; code: number }[] = [
    { given: 'open', amount: 101, code: 8 },
    { given: 'settled', amount: 101, code: 8 },
    { given: 'cancelled', amount: 100, code: 8 },
    { given: 'refused', amount: 5000, code: 7 },
  ]
  const cases = seen.flatMap((bet) => later.map((fault) => [bet.given, fault.what, bet.code, bet, fault] as const))

  it.each(cases)('on a bet that is %s, %s is code %i', async (_given, _what, code, { given, amount }, fault) => {
    const scene = await newScene(wallet)
    await bring(scene, given)
    await fault.arises?.(scene)
    expectRefused(await deliver(scene, 'place', { amount, ...(await fault.members?.(scene)) }), code)
    expect(await stateOf(scene)).toBe(given)
  })
})

describe('the shape of a call is checked before the history of the bet id:', () => {
  const broken = {
    place: { amount: '1' },
    settle: { resultType: 'win' },
    unsettle: { requestId: 'short' },
    rollback: { errorCode: 'x' },
  }
  const cases = (['open', 'settled', 'cancelled', 'refused'] as const).flatMap((given) =>
    (['place', 'settle', 'unsettle', 'rollback'] as const).map((column) => ({ given, column })),
  )

  it.each(cases)('a malformed $column of a bet that is $given is rejected with code 5', async ({ given, column }) => {
    const scene = await newScene(wallet)
    await bring(scene, given)
    expectRefused(await deliver(scene, column, broken[column]), 5)
    expect(await stateOf(scene)).toBe(given)
  })
})

describe('the signature is checked first:', () => {
  it.each(['nothing', 'open', 'settled', 'cancelled', 'refused'] as const)('on a bet that is %s', async (given) => {
    const scene = await newScene(wallet)
    await bring(scene, given)
    await blocked(scene)
    for (const column of ['place', 'settle', 'unsettle', 'rollback'] as const) {
      const message = { ...callOf(scene, column), type: 'broken' }
      expectRefused(await wallet.wire.call(methodOf(column), '/payment/bet', message, { secret: 'not the secret' }), 1)
    }
    expect(await stateOf(scene)).toBe(given)
  })
})

describe('a result of the settle family', () => {
  it('checks the bet before the token of a cashout: 20 for a cancelled bet', async () => {
    const scene = await newScene(wallet)
    await tombstone(scene)
    expectRefused(await deliver(scene, 'settle', { ...cashout, ...(await expiredToken(scene)) }), 20)
  })

  it('checks the token of a cashout before the balance to take back from: 4, not 21', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'settled')
    await spentAll(scene)
    expectRefused(await deliver(scene, 'settle', { ...cashout, ...(await expiredToken(scene)) }), 4)
  })

  it('checks the lock before the balance to take back from: 20, not 21', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'settled')
    await spentAll(scene)
    await locked(scene)
    expectRefused(await deliver(scene, 'settle', { resultType: 'lost', amount: 0 }), 20)
    expectRefused(await deliver(scene, 'unsettle'), 20)
  })

  it('checks the state before the currency: 20 for a cancelled bet in any currency', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'cancelled')
    expectRefused(await deliver(scene, 'settle', { currency: 'USD' }), 20)
  })
})
