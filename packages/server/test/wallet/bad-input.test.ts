// A valid message with one broken member is 400 code 5: never a 5xx, and no money moves. The broken
// values are JSON texts, because JSON.stringify would repair many of them, such as 1e400.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused } from './answers.ts'
import { type BrokenMember, brokenMembers } from './broken-members.ts'
import { messageOf, mustSucceed, routes, sceneFor, sendText, typicalMessages } from './messages.ts'
import { jsonText, spelled } from './raw-json.ts'
import { balanceOf, betView, bring, deliver, newScene, nextBet, type Scene, stateOf } from './scene.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

function shown({ name, value }: BrokenMember): string {
  if (value === undefined) return `${name} missing`
  return `${name} = ${value.length > 60 ? `${value.slice(0, 40)}… (${value.length} characters)` : value}`
}

async function standing(scene: Scene) {
  return { balance: await balanceOf(scene), state: await stateOf(scene) }
}

async function expectCode5(scene: Scene, send: () => ReturnType<typeof sendText>): Promise<void> {
  const before = await standing(scene)
  expectRefused(await send(), 5)
  expect(await standing(scene)).toEqual(before)
}

describe.each(typicalMessages)('the wallet checks the members of %s and', (message) => {
  let scene: Scene
  let before: object
  const all = async () => ({
    ...(await standing(scene)),
    bets: (await wallet.operator.request('GET', `/operator/bets?userId=${scene.userId}`)).body,
  })
  beforeAll(async () => {
    scene = await sceneFor(wallet, message)
    before = await all()
  })
  const cases = brokenMembers(message).map((broken) => [shown(broken), broken] as const)
  it.each(cases)('rejects it with code 5 for %s', async (_, { name, value }) => {
    const bet = message === 'place' ? nextBet(scene) : scene
    const broken = { ...messageOf(bet, message), [name]: value === undefined ? undefined : spelled(value) }
    expectRefused(await sendText(bet, message, jsonText(broken)), 5)
  })

  const bodies = [
    ['an empty body', ''],
    ['white space', ' \n\t'],
    ['an array', '[]'],
    ['an array of a message', '[{}]'],
    ['a string', '"message"'],
    ['a number', '17'],
    ['null', 'null'],
    ['true', 'true'],
    ['an empty object', '{}'],
    ['half an object', '{"type":'],
    ['text that is no JSON', 'type=1&amount=100'],
    ['XML', '<bet><amount>100</amount></bet>'],
    ['a deep array', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['a deep array that nobody closes', '['.repeat(200_000)],
    ['a deep object', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
  ] as const
  it.each(bodies)('rejects the body %s with code 5', async (_, body) => {
    expectRefused(await sendText(scene, message, body), 5)
  })

  const spoilt: [string, (text: string) => string][] = [
    ['two byte order marks before it', (text) => `\ufeff\ufeff${text}`],
    ['a byte order mark after its first space', (text) => ` \ufeff${text}`],
    ['a byte order mark after it', (text) => `${text}\ufeff`],
    ['a second message after it', (text) => text + text],
    ['a comma too many', (text) => text.replace(/}$/, ',}')],
    ['a comment', (text) => text.replace('{', '{/* bet */')],
    ['single quotes', (text) => text.replaceAll('"', "'")],
    ['its last brace missing', (text) => text.slice(0, -1)],
    ['a raw line feed in a string', (text) => text.replace('{"', '{"no\n":1,"')],
    ['all its members in the prototype', (text) => `{"__proto__":${text}}`],
    ['all its members in the prototype, and a long number', (text) => `{"x":12345678901234567890,"__proto__":${text}}`],
    ['all its members one level down', (text) => `{"message":${text}}`],
  ]
  it.each(spoilt)('rejects it with code 5 with %s', async (_, spoil) => {
    expectRefused(await sendText(scene, message, spoil(JSON.stringify(messageOf(scene, message)))), 5)
  })

  it('moves no money in any of these cases', async () => expect(await all()).toEqual(before))

  it('accepts the message that the cases above change in one place', () => mustSucceed(scene, message))
})

describe('an inherited member counts as missing:', () => {
  it.each(['', '"x":12345678901234567890,'])(
    'bonusId in __proto__ makes no freebet of a stake of 0 (%s)',
    async (extra) => {
      const scene = await newScene(wallet)
      const message = jsonText({ ...messageOf(scene, 'place'), amount: 0, bonusId: undefined })
      const text = message.replace('{', `{${extra}"__proto__":{"bonusId":7},`)
      await expectCode5(scene, () => sendText(scene, 'place', text))
    },
  )
})

describe('a stake of 0 is rejected when its bonusId is not a whole number above 0 (M-3, D-1):', () => {
  it.each(['-0', '0', '-1', '1e-400', '7.00000000000000001', '6.99999999999999999', '1e300', '12345678901234567'])(
    'bonusId %s',
    async (bonusId) => {
      const scene = await newScene(wallet)
      const text = jsonText({ ...messageOf(scene, 'place'), amount: 0, bonusId: spelled(bonusId) })
      await expectCode5(scene, () => sendText(scene, 'place', text))
    },
  )
})

describe('a number as long as the body allows', () => {
  /**
   * Milliseconds of processor time, which other load does not change. Linear work needs few; work
   * quadratic in the digits needs minutes.
   */
  const CPU_MS = 4_000
  const zeros = '0'.repeat(200_000)
  it.each([
    ['an integer', `1${zeros}`],
    ['a fraction of zeros and a one', `1.${zeros}1`],
    ['an exponent', `1e1${zeros}`],
  ])('is rejected with code 5 without delay: %s', async (_, amount) => {
    const scene = await newScene(wallet)
    const text = jsonText({ ...messageOf(scene, 'place'), amount: spelled(amount) })
    const before = process.cpuUsage()
    await expectCode5(scene, () => sendText(scene, 'place', text))
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(CPU_MS)
  })
})

describe('a selection that is nested too deeply to be stored', () => {
  it.each([30, 31, 1_000, 5_000, 20_000, 60_000])(
    'does not prevent the bet, and %i levels are recorded as omitted',
    async (depth) => {
      const scene = await newScene(wallet)
      const written = `[{"x":${'['.repeat(depth)}${']'.repeat(depth)}}]`
      const odd = { metadata: spelled(written), subPartnerId: spelled(written) }
      const message = { ...messageOf(scene, 'place'), ...odd }
      expectDone(await sendText(scene, 'place', jsonText(message)), scene.betId)
      expect(await standing(scene)).toEqual({ balance: '900.00', state: 'open' })
      const metadata = depth <= 30 ? JSON.parse(written) : '(nested too deeply: not kept)'
      expect((await betView(scene)).body).toMatchObject({ details: { metadata } })
    },
  )
})

describe('a method and a type that do not match are rejected with code 5 (cases 10, 11, K6):', () => {
  const columns = ['settle', 'rollback', 'unsettle', 'place'] as const
  const wrong = [
    { method: 'POST', column: 'settle' },
    { method: 'POST', column: 'rollback' },
  ] as const

  it.each(wrong)('$method with a $column', async ({ method, column }) => {
    const scene = await newScene(wallet)
    await bring(scene, 'open')
    const text = jsonText(messageOf(scene, column))
    await expectCode5(scene, () => wallet.wire.call(method, routes.place.path, text))
  })

  it('PUT with a Place bet is read as an Unsettle, which has no payout to take back', async () => {
    const scene = await newScene(wallet)
    await expectCode5(scene, () => sendText(scene, 'unsettle', jsonText(messageOf(scene, 'place'))))
  })

  it('the error for a Cashout without a token names the token (L-4)', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'open')
    const answer = await deliver(scene, 'settle', { resultType: 'cashout', token: undefined })
    expectRefused(answer, 5)
    expect(answer.body).toMatchObject({ message: expect.stringContaining('token of a cashout is missing') })
  })

  it('POST with an Unsettle lacks the members that a Place bet needs', async () => {
    const scene = await newScene(wallet)
    await expectCode5(scene, () => sendText(scene, 'place', jsonText(messageOf(scene, 'unsettle'))))
  })

  it.each(['GET', 'DELETE', 'PATCH'])('%s has no route: 404 or 405', async (method) => {
    const scene = await newScene(wallet)
    for (const column of columns) {
      const { status } = await wallet.wire.call(method, routes.place.path, jsonText(messageOf(scene, column)))
      expect([404, 405]).toContain(status)
    }
    expect(await stateOf(scene)).toBe('nothing')
  })

  it.each(['/payment/bets', '/payment', '/user', '/user/profiles', '/', '/payment/bet/', '//'])(
    'the path %s is not found: 404 (R-1)',
    async (path) => {
      const scene = await newScene(wallet)
      expect((await wallet.wire.call('POST', path, messageOf(scene, 'place'))).status).toBe(404)
    },
  )
})

describe('PUT with a type that does not match the bet follows the type:', () => {
  it('a Place bet sent as PUT never debits, even when it is repeated', async () => {
    const scene = await newScene(wallet)
    await bring(scene, 'open')
    const text = jsonText(messageOf(scene, 'place'))
    for (const _ of [1, 2]) await sendText(scene, 'unsettle', text)
    expect(await balanceOf(scene)).toBe('900.00')
    await deliver(scene, 'rollback')
    expect(await balanceOf(scene)).toBe('1000.00')
  })
})
