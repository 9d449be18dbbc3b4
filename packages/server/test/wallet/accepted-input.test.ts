// Unusual but valid input: other spellings of numbers (M-2), unknown members, absent or null
// members, any text.
import { randomUUID } from 'node:crypto'
import { wouldRound } from '@purser/protocol/values/exact-json'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, member } from './answers.ts'
import { unusedMembers } from './broken-members.ts'
import { messageOf, sceneFor, sendText, typicalMessages } from './messages.ts'
import { jsonText, spelled } from './raw-json.ts'
import { balanceOf, betView, type Members, must, newScene, nextBet, type Scene, stateOf } from './scene.ts'

/** The operations share a decoder, so a daily run tests only one. */
const WITH_UNUSED_MEMBERS = IS_NIGHTLY
  ? (['settle', 'cashout', 'unsettle', 'rollback'] as const)
  : (['settle'] as const)

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

async function placed(over: Members, balance = '900.00'): Promise<Scene> {
  const scene = await newScene(wallet)
  const text = jsonText({ ...messageOf(scene, 'place'), ...over })
  expectDone(await sendText(scene, 'place', text), scene.betId)
  expect(await balanceOf(scene)).toBe(balance)
  return scene
}

async function expectPlaced(over: Members, balance?: string): Promise<void> {
  await placed(over, balance)
}

describe('a stake whose amount is spelled', () => {
  const spellings = [
    ['10.0', '990.00'],
    ['10.00', '990.00'],
    ['1e2', '900.00'],
    ['1E2', '900.00'],
    ['1e+2', '900.00'],
    ['1.0e2', '900.00'],
    ['1000e-1', '900.00'],
    ['0.1', '999.90'],
    ['0.10', '999.90'],
    ['1e-2', '999.99'],
    ['0.01', '999.99'],
    ['12.10', '987.90'],
    ['12.1', '987.90'],
    ['999.99', '0.01'],
    ['1000.00', '0.00'],
    ['0.29', '999.71'],
    ['1.15', '998.85'],
    ['4.35', '995.65'],
    ['8.2e0', '991.80'],
    ['64.1', '935.90'],
  ] as const
  it.each(spellings)('%s reduces a balance of 1000.00 to %s', async (amount, balance) => {
    await expectPlaced({ amount: spelled(amount) }, balance)
  })

  it('12.1 equals the same stake spelled 12.10: the second call is a repeat (case 35)', async () => {
    const scene = await placed({ amount: spelled('12.10') }, '987.90')
    const again = jsonText({ ...messageOf(scene, 'place'), amount: spelled('1.21e1') })
    expectDone(await sendText(scene, 'place', again), scene.betId)
    expect(await balanceOf(scene)).toBe('987.90')
  })
})

describe('the wallet ignores members that a call does not use (W-21):', () => {
  const state = { settle: 'settled', cashout: 'settled', unsettle: 'open', rollback: 'cancelled' } as const
  const balance = { settle: '1150.00', cashout: '1050.00', unsettle: '900.00', rollback: '1000.00' } as const

  describe.each(WITH_UNUSED_MEMBERS)('%s', (name) => {
    const members = unusedMembers(name)
    const values = [...new Set(members.map(({ value }) => value))].map((value) => [value?.slice(0, 40), value] as const)
    const names = [...new Set(members.map((member) => member.name))]

    it.each(values)('with %s as their value', async (_, value) => {
      const scene = await sceneFor(wallet, name)
      const odd = Object.fromEntries(names.map((member) => [member, value === undefined ? undefined : spelled(value)]))
      expectDone(await sendText(scene, name, jsonText({ ...messageOf(scene, name), ...odd })), scene.betId)
      expect(await stateOf(scene)).toBe(state[name])
      expect(await balanceOf(scene)).toBe(balance[name])
      expect((await betView(scene)).status).toBe(200)
    })
  })
})

describe('a member that only describes the bet', () => {
  const members = unusedMembers('place').flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))
  const names = [...new Set(members.map(({ name }) => name))]
  const values = [...new Set(members.map(({ value }) => value))]

  it('is stored unchanged and causes no rejection, with any type of value (W-3)', async () => {
    const player = await newScene(wallet, { amount: '20000.00' })
    for (const value of values) {
      const scene = nextBet(player)
      const odd = Object.fromEntries(names.map((name) => [name, spelled(value)]))
      expectDone(await sendText(scene, 'place', jsonText({ ...messageOf(scene, 'place'), ...odd })), scene.betId)
      const { details } = (await betView(scene)).body as { details: Record<string, unknown> }
      for (const name of names) expect([name, value, details[name]]).toEqual([name, value, asKept(name, value)])
    }
    expect(await balanceOf(player)).toBe(`${20_000 - 100 * values.length}.00`)
  })

  /**
   * A number that no double can hold becomes a text of its digits; odds are floats and become the
   * nearest double.
   */
  function asKept(name: string, value: string): unknown {
    if (!wouldRound(`{"x":${value}}`)) return JSON.parse(JSON.stringify(JSON.parse(value)))
    if (value.startsWith('[')) return JSON.parse(value.replace(/:(-?[\d.]\S*?)}/, ':"$1"}'), withoutText)
    return withoutText(name, value)
  }

  const ODDS = ['coefficient', 'boosterCoefficient']
  const withoutText = (name: string, value: unknown) =>
    ODDS.includes(name) && Number.isFinite(Number(value)) ? Number(value) + 0 : value
})

describe('the wallet accepts and ignores unknown members (R-7):', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const extras = [
    ['a plain one', '"extra":1'],
    ['a nested one', '"extra":{"amount":1,"userId":"nobody","deep":[[[{}]]]}'],
    ['one whose text no database stores', '"extra":"\\u0000\\ud800"'],
    ['one with a number too long for money', '"extra":123456789012345678901234567890'],
    ['one with amounts too long for money', '"extra":[{"amount":1e-400,"type":1.00000000000000001,"bonusId":-0}]'],
    ['a deep one', `"extra":${deep}`],
    ['a deep one beside a long number', `"extra":${deep},"long":12345678901234567890`],
    ['__proto__', '"__proto__":{"amount":1}'],
    ['constructor', '"constructor":{"prototype":{"amount":1}}'],
    ['toString and hasOwnProperty', '"toString":1,"hasOwnProperty":1,"valueOf":null'],
    ['an empty name', '"":1'],
    ['a name with a NUL', '"a\\u0000b":1'],
  ] as const

  describe.each(typicalMessages)('%s', (name) => {
    it.each(extras)('with %s', async (_, extra) => {
      const scene = await sceneFor(wallet, name)
      const text = JSON.stringify(messageOf(scene, name)).replace('{', `{${extra},`)
      expect(await sendText(scene, name, text)).toMatchObject({ status: 200 })
      if (name === 'place') expect(await balanceOf(scene)).toBe('900.00')
    })
  })

  it('in the items of metadata', () => expectPlaced({ metadata: [{ odds: 'new', eventId: 7, extra: { a: [1] } }] }))
})

describe('the wallet stores numbers in unknown members of metadata unchanged (R-7):', () => {
  const numbers: [string, unknown][] = [
    ['0.47058823529411764', 0.47058823529411764],
    ['1.2345678901234567', 1.2345678901234567],
    ['1.23456789012345678901', '1.23456789012345678901'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e-400', '1e-400'],
    ['-1e999999', '-1e999999'],
    ['-0', '-0'],
    ['1e2', 100],
  ]
  it.each(numbers)('%s', async (number, kept) => {
    const item = `{"amount":${number},"type":[${number}],"eventId":7,"coefficient":1.23456789012345678901}`
    const scene = await placed({ metadata: spelled(`[${item}]`) })
    const shown = { amount: kept, type: [kept], eventId: 7, coefficient: 1.2345678901234567 }
    expect((await betView(scene)).body).toMatchObject({ details: { metadata: [shown] } })
  })

  it('an id with more digits than a double can hold', async () => {
    const scene = await placed({ metadata: spelled('[{"eventId":1234567890123456789}]') })
    expect((await betView(scene)).body).toMatchObject({ details: { metadata: [{ eventId: '1234567890123456789' }] } })
  })
})

describe('the last value of a repeated member counts, after the members', () => {
  it.each(['', '"long":12345678901234567890,', '"amount":1e400,"bonusId":7.00000000000000001,'])(
    '%s',
    async (beside) => {
      const scene = await newScene(wallet)
      const twins = '"amount":1,"userId":"somebody else","bonusId":-7,"type":2,'
      const text = JSON.stringify(messageOf(scene, 'place')).replace('{', `{${beside}${twins}`)
      expectDone(await sendText(scene, 'place', text), scene.betId)
      expect(await balanceOf(scene)).toBe('900.00')
    },
  )
})

describe('an integer member accepts other spellings of the integer:', () => {
  it.each(['1.0', '1e0', '10e-1', '1.00000000000000000000', '1000000000000000000000e-21', '0.1E+001'])(
    'type and bonusId %s',
    async (one) => {
      const scene = await placed({ type: spelled(one), bonusId: spelled(one), amount: 0 }, '1000.00')
      expect((await betView(scene)).body).toMatchObject({ details: { bonusId: 1 } })
    },
  )

  it.each(['0', '-7', '9007199254740991', '-9007199254740991'])('bonusId as %s', async (bonusId) => {
    await expectPlaced({ bonusId: spelled(bonusId) })
  })
})

describe('a call is accepted with a member that is optional or nullable:', () => {
  const optional = [
    'coefficient',
    'gameType',
    'ticketType',
    'boosterCoefficient',
    'ip',
    'info',
    'metadata',
    'operatorUser',
  ]
  const nullable = ['bonusId', 'bonusTemplateId', 'bonusAmount', 'subPartnerId']

  it.each([...optional, ...nullable])('%s absent', (name) => expectPlaced({ [name]: undefined }))
  it.each(nullable)('%s null', (name) => expectPlaced({ [name]: null }))
  it('all of them absent', () =>
    expectPlaced(Object.fromEntries([...optional, ...nullable].map((name) => [name, undefined]))))
})

describe('a call is accepted with a value at the edge of its range:', () => {
  const edges: [string, Members][] = [
    ['an IPv6 address', { ip: '2001:db8::7' }],
    ['an IPv4-mapped IPv6 address', { ip: '::ffff:203.0.113.7' }],
    ['turbogames', { gameType: 'turbogames' }],
    ['an express', { ticketType: 'express', boosterCoefficient: 1.25 }],
    ['an empty metadata', { metadata: [] }],
    [
      'an express of 30 selections (case 49)',
      { metadata: Array.from({ length: 30 }, () => ({ event: 'A - B', coefficient: 1.5 })) },
    ],
    ['an info of 100,000 characters (case 45)', { info: 'i'.repeat(100_000) }],
    ['an empty info', { info: '' }],
    ['a subPartnerId', { subPartnerId: 'site-2' }],
    ['a coefficient with many digits', { coefficient: spelled('1.23456789012345678') }],
    ['a bonusTemplateId and a bonusAmount', { bonusId: 3, bonusTemplateId: 4, bonusAmount: 5.5 }],
    ['an operatorUser that nobody asked for', { operatorUser: 'A-z0.9_~' }],
    ['a requestId that is no uuid', { requestId: 'request number 1' }],
  ]
  it.each(edges)('%s', (_, over) => expectPlaced(over))
})

describe('text is stored as data (cases 46, 47):', () => {
  const texts = [
    "'; DROP TABLE purser.bet; --",
    "' OR '1'='1",
    '<script>alert(1)</script>',
    '#{7*7}{{7*7}}',
    '\\"},"amount":0',
    'ставка № 7 ставка',
    '赌注\u{1f3c7}ΩéÅ\u202e',
    '%s %n %00',
  ]
  // The interface limits ids (I-7) but no free text, so no character of a text causes a rejection.
  const oddTexts = ['NUL \u0000 inside', 'half a pair \ud83c alone', 'line\u2028separator\r\n\t\u0007']

  it.each([...texts, ...oddTexts])('%j as info, subPartnerId and in metadata is returned unchanged', async (text) => {
    const scene = await placed({ info: text, subPartnerId: text, metadata: [{ event: text, outcome: text }] })
    await must(scene, 'settle')
    expect(await balanceOf(scene)).toBe('1150.00')
    const view = await betView(scene)
    expect(view.status).toBe(200)
    // a site has at most 64 characters that any database can store (O-7)
    const { site, ...asItCame } = view.body as { site?: string }
    expect(JSON.stringify(asItCame).split(JSON.stringify(text))).toHaveLength(5)
    expect(site).toBe(text.replace('\0', '\ufffd').replace('\ud83c ', '\ufffd '))
    const list = await wallet.operator.request('GET', `/operator/bets?userId=${scene.userId}`)
    expect(list.status).toBe(200)
  })

  it.each(texts)('%s is accepted as transactionId, requestId and subPartnerId', async (text) => {
    const betId = `${text}${randomUUID()}`.slice(0, 36)
    const scene = { ...(await newScene(wallet)), betId }
    await must(scene, 'place', { requestId: `${betId}-place`, subPartnerId: text })
    await must(scene, 'settle', { requestId: `${betId}-settle` })
    expect(await stateOf(scene)).toBe('settled')
    const { body } = await wallet.wire.check({ transactionId: betId, userId: scene.userId })
    expect(body).toMatchObject({ transactionId: betId, amount: 250 })
    expect(JSON.stringify((await betView(scene)).body)).toContain(JSON.stringify(betId))
  })

  it.each(texts)('%s is accepted as userId', async (text) => {
    const userId = `${text} ${randomUUID()}`.slice(0, 64)
    const scene = await newScene(wallet, { player: { userId } })
    await must(scene, 'place')
    const { body } = await wallet.wire.profile(scene.token)
    expect(member(body, 'userId')).toBe(userId)
    expect(await balanceOf(scene)).toBe('900.00')
  })
})
