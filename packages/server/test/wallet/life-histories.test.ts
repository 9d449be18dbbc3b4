// Sequences that revealed real bugs (cases K13 to K18, K21). The balance is checked after each
// step.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered, expectDone } from './answers.ts'
import { live, type Result, repeated, results, type Step, settle, step } from './history.ts'
import { spentAll } from './moments.ts'
import { balanceOf, bring, deliver, must, newScene, type Scene, stateOf } from './scene.ts'

let wallet: TestWallet
function walletWith(env: Record<string, string>): void {
  beforeAll(async () => {
    wallet = await startWallet({ env })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })
}

const place = step('place', 200, '900.00')
const unsettle = (balance: string, answers = 200) => step('unsettle', answers, balance)
const rollback = (balance: string, answers = 200) => step('rollback', answers, balance)

const histories: Record<string, Step[]> = {
  'K12 won three times': [
    place,
    settle('won', 200, '1100.00'),
    settle('won', 200, '1100.00'),
    settle('won', 200, '1100.00'),
  ],
  'K13 cashout twice': [place, settle('cashout', 200, '1050.00'), settle('cashout', 200, '1050.00')],
  'K13 cashout, then won': [place, settle('cashout', 200, '1050.00'), settle('won', 200, '1100.00')],
  'K13 won, then cashout': [place, settle('won', 200, '1100.00'), settle('cashout', 200, '1050.00')],
  'K16 unsettle and won, each twice': [
    place,
    settle('won', 200, '1100.00'),
    unsettle('900.00'),
    unsettle('900.00'),
    settle('won', 200, '1100.00'),
    settle('won', 200, '1100.00'),
  ],
  'K16 unsettle of a bet that was never settled': [place, unsettle('900.00'), settle('won', 200, '1100.00')],
  'K16 unsettle after a cashout': [place, settle('cashout', 200, '1050.00'), unsettle('900.00'), rollback('1000.00')],
  'K16 unsettle after a refund': [place, settle('refund', 200, '1000.00'), unsettle('900.00'), rollback('1000.00')],
  'K16 unsettle after a rollback': [place, rollback('1000.00'), unsettle('1000.00', 20)],
  'K16 unsettle after a loss (case 92)': [
    place,
    settle('lost', 200, '900.00'),
    unsettle('900.00'),
    settle('won', 200, '1100.00'),
  ],
  'K17 won, unsettle, lost': [place, settle('won', 200, '1100.00'), unsettle('900.00'), settle('lost', 200, '900.00')],
  'K17 won, unsettle, refund': [
    place,
    settle('won', 200, '1100.00'),
    unsettle('900.00'),
    settle('refund', 200, '1000.00'),
  ],
  'K17 won, unsettle, rollback': [
    place,
    settle('won', 200, '1100.00'),
    unsettle('900.00'),
    rollback('1000.00'),
    rollback('1000.00'),
  ],
  'K19 rollback, then the bet': [
    rollback('1000.00'),
    step('place', 8, '1000.00'),
    step('place', 8, '1000.00'),
    rollback('1000.00'),
  ],
  'K21 won, then rollback': [
    place,
    settle('won', 200, '1100.00'),
    rollback('1100.00', 8),
    repeated('rollback', 8, '1100.00'),
  ],
  'K21 cashout, then rollback': [place, settle('cashout', 200, '1050.00'), rollback('1050.00', 8)],
  'K21 lost, then rollback': [place, settle('lost', 200, '900.00'), rollback('900.00', 8)],
  'K21 refund, then rollback: not refunded twice': [place, settle('refund', 200, '1000.00'), rollback('1000.00', 8)],
  'K21 rollback, then won': [place, rollback('1000.00'), settle('won', 20, '1000.00')],
  'K21 rollback, then cashout': [place, rollback('1000.00'), settle('cashout', 20, '1000.00')],
  'a rollback refused after a settle may come again after the unsettle': [
    place,
    settle('won', 200, '1100.00'),
    rollback('1100.00', 8),
    unsettle('900.00'),
    repeated('rollback', 200, '1000.00'),
  ],
  'a settle refused before the bet may come again after it': [
    settle('won', 5, '1000.00'),
    place,
    repeated('settle', 200, '1100.00'),
  ],
  'an unsettle refused before the bet may come again after it': [
    unsettle('1000.00', 5),
    place,
    settle('won', 200, '1100.00'),
    repeated('unsettle', 200, '900.00'),
  ],
}

describe('the wallet keeps the balance and the state of a bet right in each life:', () => {
  walletWith({})

  it.each(Object.entries(histories))('%s', async (_, steps) => live(await newScene(wallet), steps))
})

describe('the last of two results counts (K14):', () => {
  walletWith({})
  const names = Object.keys(results) as Result[]
  const pairs = names.flatMap((first) =>
    names.filter((name) => name !== first).map((second) => [first, second] as const),
  )
  const balanceAfter = (result: Result) => `${900 + results[result].amount}.00`

  it.each(pairs)('%s, then %s, then both again', async (first, second) => {
    const change = (result: Result) => settle(result, 200, balanceAfter(result))
    await live(await newScene(wallet), [
      place,
      change(first),
      change(second),
      repeated('settle', 200, balanceAfter(second)),
      change(second),
      change(first),
    ])
  })
})

describe.each([
  { clawback: 'refuse', answers: 21, lowered: '0.00', lost: '0.00' },
  { clawback: 'allow-negative', answers: 200, lowered: '-50.00', lost: '-200.00' },
] as const)(
  'with PURSER_CLAWBACK=$clawback the wallet never pays more than was decided (K15):',
  ({ clawback, answers, lowered, lost }) => {
    walletWith({ PURSER_CLAWBACK: clawback })

    it('a repeated win pays nothing, and a lower one takes back all or nothing', async () => {
      const scene = await newScene(wallet)
      await live(scene, [place, settle('won', 200, '1100.00')])
      await spentAll(scene)
      await live(scene, [
        settle('won', 200, '0.00'),
        step('settle', answers, lowered, { resultType: 'won', amount: 150 }),
        settle('lost', answers, lost),
      ])
    })

    it('a player with a negative balance can place no bet until a win makes it positive', async () => {
      if (clawback === 'refuse') return
      const scene = await newScene(wallet)
      await live(scene, [place, settle('won', 200, '1100.00')])
      await spentAll(scene)
      await live(scene, [settle('lost', 200, '-200.00')])
      const other = { ...scene, betId: 'another-bet-of-this-player', sent: {} }
      await live(other, [step('place', 7, '-200.00', { amount: 0.01 })])
      await live(scene, [settle('won', 200, '0.00')])
    })

    it('a balance that is one cent short rejects or becomes negative', async () => {
      const scene = await newScene(wallet)
      await live(scene, [place, settle('won', 200, '1100.00')])
      const other = { ...scene, betId: 'another-bet-of-this-player', sent: {} }
      await must(other, 'place', { amount: 900.01 })
      await live(scene, [settle('lost', answers, clawback === 'refuse' ? '199.99' : '-0.01')])
    })

    it('a balance that suffices to the cent is taken back', async () => {
      const scene = await newScene(wallet)
      await live(scene, [place, settle('won', 200, '1100.00')])
      const other = { ...scene, betId: 'another-bet-of-this-player', sent: {} }
      await must(other, 'place', { amount: 900 })
      await live(scene, [settle('lost', 200, '0.00')])
    })
  },
)

describe('ten rollbacks of a bet (K18)', () => {
  walletWith({})
  const variants = [
    {},
    { amount: 500 },
    { token: undefined },
    { token: 'dead-dead-dead-dead' },
    { errorCode: 8 },
    { amount: undefined },
  ]

  async function tenTimes(scene: Scene, inTurn: boolean): Promise<void> {
    const ten = Array.from({ length: 10 }, (_, index) => variants[index % variants.length] ?? {})
    const send = (over: object) => deliver(scene, 'rollback', { ...over })
    const answers = []
    if (inTurn) for (const over of ten) answers.push(await send(over))
    else answers.push(...(await Promise.all(ten.map(send))))
    for (const answer of answers) expectDone(answer, scene.betId)
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  }

  it.each([
    ['one after another', true],
    ['at once', false],
  ])('sent %s, of every kind, result in one refund and ten equal answers', async (_, inTurn) => {
    const scene = await newScene(wallet)
    await bring(scene, 'open')
    await tenTimes(scene, inTurn)
    expect(await balanceOf(scene)).toBe('1000.00')
    expect(await stateOf(scene)).toBe('cancelled')
  })

  it('sent at once without a bet create one tombstone', async () => {
    const scene = await newScene(wallet)
    await tenTimes(scene, false)
    expect(answered(await deliver(scene, 'place'))).toBe(8)
    expect(await balanceOf(scene)).toBe('1000.00')
  })
})

describe('a resettle is booked as a reversal and a payment (L-1):', () => {
  walletWith({})

  it('the statement shows two transfers, not their difference', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'settled')
    const before = await transfersOf(scene)
    await must(scene, 'settle', { amount: 400 })
    const added = (await transfersOf(scene)).slice(0, -before.length)
    expect(added).toHaveLength(2)
    for (const amount of ['250.00', '400.00']) expect(JSON.stringify(added)).toContain(amount)
    expect(JSON.stringify(added)).not.toContain('"150.00"')
  })

  it('a change of the result type alone creates no transfer', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'settled')
    const before = await transfersOf(scene)
    await must(scene, 'settle', { resultType: 'refund' })
    expect(await transfersOf(scene)).toEqual(before)
  })
})

async function transfersOf({ userId, wallet: { operator } }: Scene): Promise<unknown[]> {
  const { body } = await operator.request('GET', `/operator/players/${userId}/statement?currency=EUR&limit=50`)
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  if (!Array.isArray(data)) throw new Error(`no statement: ${JSON.stringify(body)}`)
  return data
}
