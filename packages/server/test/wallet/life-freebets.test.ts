// The funder of a stake with a bonusId, and its refund (M-4). PURSER_FREEBET_STAKE decides at the
// placement, and the bet stores the result.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { changeMoneySettings } from '../support/money-settings.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused } from './answers.ts'
import { live, repeated, type Step, settle, step } from './history.ts'
import { locked, spentAll } from './moments.ts'
import { balanceOf, deliver, must, newScene, stateOf } from './scene.ts'

const freebet = { bonusId: 7, bonusTemplateId: 3, bonusAmount: 100 }

let wallet: TestWallet
function walletWith(stake: string | undefined): void {
  beforeAll(async () => {
    wallet = await startWallet(stake === undefined ? {} : { env: { PURSER_FREEBET_STAKE: stake } })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })
}

/** The balance after each step, for a player who paid the stake and for a player who did not. */
const lives: [string, (Omit<Step, 'balance'> & { own: string; promoted: string })[]][] = [
  ['lost', [both(settle('lost', 200, ''), '900.00', '1000.00')]],
  ['won', [both(settle('won', 200, ''), '1100.00', '1200.00'), both(settle('won', 200, ''), '1100.00', '1200.00')]],
  [
    'refunded',
    [both(settle('refund', 200, ''), '1000.00', '1000.00'), both(repeated('settle', 200, ''), '1000.00', '1000.00')],
  ],
  ['cashed out', [both(settle('cashout', 200, ''), '1050.00', '1150.00')]],
  [
    'rolled back',
    [
      both(step('rollback', 200, ''), '1000.00', '1000.00'),
      both(step('rollback', 200, ''), '1000.00', '1000.00'),
      both(settle('won', 20, ''), '1000.00', '1000.00'),
    ],
  ],
  [
    'won, unsettled, rolled back',
    [
      both(settle('won', 200, ''), '1100.00', '1200.00'),
      both(step('unsettle', 200, ''), '900.00', '1000.00'),
      both(step('rollback', 200, ''), '1000.00', '1000.00'),
    ],
  ],
  [
    'refunded, unsettled, won',
    [
      both(settle('refund', 200, ''), '1000.00', '1000.00'),
      both(step('unsettle', 200, ''), '900.00', '1000.00'),
      both(settle('won', 200, ''), '1100.00', '1200.00'),
    ],
  ],
  [
    'refunded, unsettled, rolled back',
    [
      both(settle('refund', 200, ''), '1000.00', '1000.00'),
      both(step('unsettle', 200, ''), '900.00', '1000.00'),
      both(step('rollback', 200, ''), '1000.00', '1000.00'),
    ],
  ],
  [
    'won, then refunded, then lost, then refunded (case 100)',
    [
      both(settle('won', 200, ''), '1100.00', '1200.00'),
      both(settle('refund', 200, ''), '1000.00', '1000.00'),
      both(settle('lost', 200, ''), '900.00', '1000.00'),
      both(settle('refund', 200, ''), '1000.00', '1000.00'),
      both(step('rollback', 8, ''), '1000.00', '1000.00'),
    ],
  ],
  [
    'refunded, then won with the same amount: the payee changes with the type',
    [
      both(settle('refund', 200, ''), '1000.00', '1000.00'),
      both(step('settle', 200, '', { resultType: 'won', amount: 100 }), '1000.00', '1100.00'),
      both(settle('refund', 200, ''), '1000.00', '1000.00'),
    ],
  ],
]

function both({ balance: _, ...call }: Step, own: string, promoted: string) {
  return { ...call, own, promoted }
}

describe.each([undefined, 'player'])('with PURSER_FREEBET_STAKE %s the player funds a freebet:', (stake) => {
  walletWith(stake)

  it.each(lives)('the life %s moves money of the player', async (_, steps) => {
    const scene = await newScene(wallet)
    const rest = steps.map(({ own, promoted: _promoted, ...call }) => ({ ...call, balance: own }))
    await live(scene, [step('place', 200, '900.00', freebet), ...rest])
  })

  it('a freebet needs the balance for its stake', async () => {
    const scene = await newScene(wallet, { amount: '99.99' })
    expectRefused(await deliver(scene, 'place', freebet), 7)
  })
})

describe('with PURSER_FREEBET_STAKE=promotions the promotions account funds a freebet:', () => {
  walletWith('promotions')

  it.each(lives)('the life %s moves money of promotions', async (_, steps) => {
    const scene = await newScene(wallet)
    const rest = steps.map(({ own: _own, promoted, ...call }) => ({ ...call, balance: promoted }))
    await live(scene, [step('place', 200, '1000.00', freebet), ...rest])
  })

  it('a player without money can place a freebet', async () => {
    const scene = await newScene(wallet, { amount: '0.01' })
    await live(scene, [step('place', 200, '0.01', freebet), settle('won', 200, '200.01')])
  })

  it('a bet without bonusId still needs the balance of the player', async () => {
    const scene = await newScene(wallet)
    await live(scene, [
      step('place', 200, '900.00', { bonusId: null, bonusAmount: 100 }),
      step('rollback', 200, '1000.00'),
    ])
  })

  it('a refund is taken back from promotions, with any balance of the player', async () => {
    const scene = await newScene(wallet)
    await live(scene, [step('place', 200, '1000.00', freebet), settle('refund', 200, '1000.00')])
    await spentAll(scene)
    await live(scene, [settle('lost', 200, '0.00'), settle('refund', 200, '0.00'), step('unsettle', 200, '0.00')])
  })

  it('a win is taken back only from the player (L-2)', async () => {
    const scene = await newScene(wallet)
    await live(scene, [step('place', 200, '1000.00', freebet), settle('won', 200, '1200.00')])
    await spentAll(scene)
    await live(scene, [settle('refund', 21, '0.00'), step('unsettle', 21, '0.00')])
    expect(await stateOf(scene)).toBe('settled')
  })

  it('a repeat of a locked refund pays no account', async () => {
    const scene = await newScene(wallet)
    await live(scene, [step('place', 200, '1000.00', freebet), settle('refund', 200, '1000.00')])
    await locked(scene)
    await live(scene, [settle('refund', 200, '1000.00'), settle('won', 20, '1000.00')])
  })

  it('a repeat of the Place bet is recognised', async () => {
    const scene = await newScene(wallet)
    await live(scene, [
      step('place', 200, '1000.00', freebet),
      step('place', 200, '1000.00', freebet),
      repeated('place', 200, '1000.00'),
      step('place', 8, '1000.00', { ...freebet, amount: 101 }),
    ])
  })
})

describe('a stake of 0 (M-3)', () => {
  walletWith('promotions')

  it.each([{ bonusId: null }, { bonusId: undefined }, { bonusId: null, bonusAmount: 100 }])(
    'is rejected with code 5 without a bonusId (%o)',
    async (members) => {
      const scene = await newScene(wallet)
      expectRefused(await deliver(scene, 'place', { amount: 0, ...members }), 5)
      expect(await stateOf(scene)).toBe('nothing')
    },
  )

  it('goes through the whole life of a bet if it has a bonusId', async () => {
    const scene = await newScene(wallet)
    await live(scene, [
      step('place', 200, '1000.00', { ...freebet, amount: 0 }),
      settle('won', 200, '1200.00'),
      step('unsettle', 200, '1000.00'),
      step('rollback', 200, '1000.00'),
      step('place', 8, '1000.00', { ...freebet, amount: 0 }),
    ])
  })
})

describe('the funding setting changes between two bets:', () => {
  let database: TestDatabase
  const running: TestWallet[] = []
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()))
    await database.drop()
  })

  async function walletOn(stake: string): Promise<TestWallet> {
    const env = { PURSER_FREEBET_STAKE: stake }
    await changeMoneySettings(database.url, env)
    wallet = await startWallet({ databaseUrl: database.url, env })
    running.push(wallet)
    return wallet
  }

  it.each([
    { placed: 'player', settled: 'promotions', open: '900.00' },
    { placed: 'promotions', settled: 'player', open: '1000.00' },
  ])('a stake funded by $placed returns there under $settled', async ({ placed, settled, open }) => {
    const before = await walletOn(placed)
    const [one, two] = [await newScene(before), await newScene(before)]
    for (const scene of [one, two]) await must(scene, 'place', freebet)
    expect(await balanceOf(one)).toBe(open)
    const after = await walletOn(settled)
    expectDone(await deliver({ ...one, wallet: after }, 'rollback'), one.betId)
    expectDone(await deliver({ ...two, wallet: after }, 'settle', { resultType: 'refund', amount: 100 }), two.betId)
    for (const scene of [one, two]) expect(await balanceOf({ ...scene, wallet: after })).toBe('1000.00')
  })
})
