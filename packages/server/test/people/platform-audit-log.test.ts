/**
 * The platform's audit log (O-4, W-24) records every change through its API. It records a player's
 * action only when a console user acts for the player.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../operator/answers.ts'
import { aBet, newToken, startPlatform, type TestPlatform } from '../support/platform.ts'
import { refusal, type ScriptedWallet } from '../support/scripted-wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import {
  type Asking,
  type AuditedCall,
  asking,
  asMaria,
  changesOf,
  expectAction,
  keyCases,
  keyOf,
  storedText,
} from './audited-calls.ts'

let platform: TestPlatform
let asked: Asking
let partner: { wallet: ScriptedWallet; partnerId: string }

beforeAll(async () => {
  platform = await startPlatform()
  asked = asking(platform.url, platform.key, '/actions')
  partner = await platform.partner()
})
afterAll(() => platform.stop())

const aFrame = () => platform.api.loadFrame(partner.partnerId)

async function aPlacedBet(): Promise<string> {
  return (await platform.api.place(await aFrame())).betId
}

async function aRefusedSettle(): Promise<{ deliveryId: string; partnerId: string }> {
  const { wallet, partnerId } = await platform.partner() // only this partner's Settle is rejected
  wallet.next('settle', refusal(20))
  const { betId } = await platform.api.place(await platform.api.loadFrame(partnerId))
  await platform.api.settle(betId, 'won', '21.00')
  const refused = () => platform.api.deliveries(`?needsAttention=true&partnerId=${partnerId}`)
  await expect.poll(async () => (await refused()).map((delivery) => delivery.betId)).toEqual([betId])
  return { deliveryId: (await refused())[0]?.deliveryId ?? '', partnerId }
}

/** The last entry of this operation. */
async function lastOf(operation: string): Promise<JsonObject | undefined> {
  return (await asked.log('?limit=500')).data.find((action) => action.operation === operation)
}

const WON = { resultType: 'won', amount: '21.00' }
const settled = { status: 'settled', resultType: 'won', payout: '21.00', decidedBy: 'request' }

const CASES: Record<string, () => AuditedCall | Promise<AuditedCall>> = {
  ...keyCases(() => asked, ''),
  savePartner: async () => {
    const partnerId = randomUUID()
    await platform.api.savePartner({ url: 'http://127.0.0.1:1', secret: 'a-secret' }, partnerId)
    return {
      call: ['POST', '/partners', { partnerId, baseUrl: 'http://127.0.0.1:2', secret: 'another-secret' }],
      on: { partnerId },
      before: { baseUrl: 'http://127.0.0.1:1', secret: '***' },
      after: { baseUrl: 'http://127.0.0.1:2', secret: '***' },
    }
  },
  changePartner: async () => {
    const partnerId = randomUUID()
    await platform.api.savePartner({ url: 'http://127.0.0.1:1', secret: 'a-secret' }, partnerId)
    return {
      call: ['PUT', `/partners/${partnerId}`, { baseUrl: 'http://127.0.0.1:2', secrets: ['b-secret', 'a-secret'] }],
      on: { partnerId },
      before: { baseUrl: 'http://127.0.0.1:1', secret: '***' },
      after: { baseUrl: 'http://127.0.0.1:2', secret: '***' },
    }
  },
  settleBet: async () => {
    const betId = await aPlacedBet()
    return {
      call: ['POST', `/bets/${betId}/settle`, WON],
      on: { betId },
      before: { status: 'accepted' },
      after: settled,
    }
  },
  unsettleBet: async () => {
    const betId = await aPlacedBet()
    await platform.api.settle(betId, 'won', '21.00')
    return { call: ['POST', `/bets/${betId}/unsettle`], on: { betId }, before: settled, after: { status: 'accepted' } }
  },
  cancelBet: async () => {
    const betId = await aPlacedBet()
    return {
      call: ['POST', `/bets/${betId}/cancel`, { errorCode: 32 }],
      ...{ on: { betId }, before: { status: 'accepted' }, after: { status: 'cancelled', reason: 'rollback 32' } },
    }
  },
  saveEvent: async () => {
    const eventId = randomUUID()
    const odds = (home: string, away: string) => [
      { outcomeId: 'home', coefficient: home },
      { outcomeId: 'away', coefficient: away },
    ]
    await platform.api.event(eventId, { status: 'open', outcomes: odds('2.1', '1.8') })
    return {
      call: ['PUT', `/events/${eventId}`, { status: 'suspended', outcomes: odds('2.1', '1.9') }],
      on: { eventId },
      before: { status: 'open', odds: { away: '1.8' } },
      after: { status: 'suspended', odds: { away: '1.9' } },
    }
  },
  setResults: async () => {
    const eventId = randomUUID()
    await platform.api.results(eventId, { home: 'won', away: 'lost' })
    return {
      call: ['POST', `/events/${eventId}/result`, { outcomes: [{ outcomeId: 'home', result: 'lost' }] }],
      ...{ on: { eventId }, before: { results: { home: 'won', away: 'lost' } }, after: { results: { home: 'lost' } } },
    }
  },
  saveLimits: async () => {
    await platform.api.limits({ eventMaxBets: 500, currencies: { EUR: { maxStake: '100000' } } })
    return {
      call: ['PUT', '/limits', { currencies: { EUR: { maxStake: '200000', playerMaxWin: '50000000' } } }],
      on: {},
      before: { eventMaxBets: 500, currencies: { EUR: { maxStake: '100000' } } },
      after: { currencies: { EUR: { maxStake: '200000', playerMaxWin: '50000000' } } },
    }
  },
  retryDelivery: async () => {
    const { deliveryId } = await aRefusedSettle()
    return {
      call: ['POST', `/deliveries/${deliveryId}/retry`],
      ...{ on: { deliveryId }, before: { status: 'refused' }, after: { status: 'pending' } },
    }
  },
  acknowledgeDelivery: async () => {
    const { deliveryId } = await aRefusedSettle()
    return {
      call: ['POST', `/deliveries/${deliveryId}/acknowledge`, { reason: 'ticket 4711' }],
      ...{ on: { deliveryId }, before: { status: 'refused' }, after: { status: 'done' } },
    }
  },
  retryDeliveries: async () => {
    const { deliveryId, partnerId } = await aRefusedSettle()
    return {
      call: ['POST', '/deliveries/retry', { partnerId, code: 20 }],
      ...{ on: { deliveryId }, before: { status: 'refused' }, after: { status: 'pending' } },
    }
  },
}
/** Player actions, which are recorded only when a user makes them (see below). */
const OF_USERS = ['loadFrame', 'placeBet']

test('the cases of the platform’s action log cover each call that changes something', () => {
  expect([...Object.keys(CASES), ...OF_USERS].sort()).toEqual(changesOf('platform'))
})

test.each(Object.keys(CASES))(
  '%s writes an action with its person and the values before and after',
  async (operation) => {
    const expected = await CASES[operation]?.()
    await expectAction(asked, keyOf('PLATFORM_API_KEY', platform.key), operation, expected as AuditedCall)
  },
)

test('a cashout writes an action like every settlement, and a bet that event results decide writes none', async () => {
  const betId = await aPlacedBet()
  await asked.must('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount: '7.00' })
  const after = { status: 'settled', resultType: 'cashout', payout: '7.00', decidedBy: 'request' }
  expect((await asked.log(`?on=${betId}`)).data).toMatchObject([
    { operation: 'settleBet', before: { status: 'accepted' }, after },
  ])
  const bet = aBet()
  const other = await platform.api.place(await aFrame(), bet)
  expect(await platform.api.results(String(bet.selections[0]?.eventId), { home: 'won' })).toBe(1)
  expect((await asked.log(`?on=${other.betId}`)).data).toEqual([])
  expect(await lastOf('setResults')).toMatchObject({ on: { eventId: bet.selections[0]?.eventId } })
})

test('a user who loads the frame and bets writes no action, and a person who does so writes both', async () => {
  const bet = async (headers?: Record<string, string>) => {
    const session = { partnerId: partner.partnerId, token: newToken() }
    const { frameSessionId } = await asked.must('POST', '/frame-sessions', session, headers)
    const { betId } = await asked.must('POST', '/bets', { ...aBet(), frameSessionId }, headers)
    const found = await Promise.all([frameSessionId, betId].map((id) => asked.log(`?on=${String(id)}`)))
    return { frameSessionId, betId, found: found.flatMap(({ data }) => data) }
  }
  expect((await bet()).found).toEqual([])
  const { frameSessionId, betId, found } = await bet(asMaria)
  const user = { userId: expect.any(String), currency: 'EUR' }
  expect(found).toMatchObject([
    {
      operation: 'loadFrame',
      on: { frameSessionId },
      person: 'maria',
      before: {},
      after: { partnerId: partner.partnerId, ...user },
    },
    { operation: 'placeBet', on: { betId }, person: 'maria', before: {}, after: { ...user, amount: '10.00' } },
  ])
})

test('a call of the platform that changes nothing writes no action', async () => {
  const betId = await aPlacedBet()
  const eventId = randomUUID()
  const twice: [string, string, object?][] = [
    ['POST', `/bets/${betId}/settle`, WON],
    ['PUT', `/events/${eventId}`, { status: 'open', outcomes: [{ outcomeId: 'home', coefficient: '2.1' }] }],
    ['POST', `/events/${eventId}/result`, { outcomes: [{ outcomeId: 'home', result: 'won' }] }],
    ['PUT', '/limits', { maxStake: '77777' }],
    ['POST', '/partners', { partnerId: 'twice', baseUrl: 'http://127.0.0.1:1', secret: 'a-secret' }],
    ['POST', '/deliveries/retry', { dryRun: true }],
  ]
  for (const call of twice) {
    await asked.must(...call)
    const before = (await asked.log('?limit=1')).data
    expect(before).toHaveLength(1)
    await asked.must(...call)
    expect((await asked.log('?limit=1')).data, call[1]).toEqual(before)
  }
  expectProblem(await asked.send('POST', `/bets/${betId}/cancel`, { errorCode: 8 }), 409, 'not_possible')
  expect(await lastOf('cancelBet')).not.toMatchObject({ on: { betId } })
})

test('the action log of the platform contains no token, key or secret', async () => {
  const token = newToken()
  await asked.must('POST', '/frame-sessions', { partnerId: partner.partnerId, token }, asMaria)
  const text = await storedText(platform.databaseUrl, 'platform.action')
  for (const hidden of [token, platform.key, partner.wallet.secret, 'a-secret', 'another-secret'])
    expect(text).not.toContain(hidden)
})
