/**
 * The fast path (fast-path.ts) applies some results of bets, and answers calls of players whose
 * rows are locked.
 */

import { MAX_BALANCE, money } from '@purser/protocol/values/money'
import type { Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import { beforeEach, describe, expect, test } from 'vitest'
import { STALE_ROW_SQLSTATE } from '../../src/core/database/database-errors.ts'
import { isFastPathEligible } from '../../src/wallet/queue/fast-path.ts'
import { endSessions, hashToken, insertSession } from '../../src/wallet/store/session.ts'
import { signal } from '../support/signal.ts'
import { place, rollback, seat, seatForDays, settle, unsettle } from './call-batch-scene.ts'
import {
  accepted,
  bet,
  betOf,
  cash,
  IS_ON_CITUS,
  leaves,
  NEXT_DAY,
  number,
  patch,
  player,
  refused,
  resultOf,
  scene,
  seatEachTime,
  taken,
  verdictOn,
} from './fast-path-scene.ts'

const USD = 'USD' as Currency

seatEachTime()

describe('the fast path for results', () => {
  beforeEach(async () => {
    await scene.take(betOf(0, 10))
  })

  test.each([30, 0])('takes the first result of an open bet, %i', async (euros) => {
    expect(await scene.take(resultOf(0, euros))).toEqual([taken()])
    if (!IS_ON_CITUS) expect(scene.statements.slice(-2)).toEqual(['fast_path_lock', 'fast_path_settle'])
  })

  test('takes a result whatever the status of the player and the token are (L-5)', async () => {
    await patch({ status: 'blocked' })
    await scene.db.transaction((tx) => endSessions(tx, 0, player() as PlayerId, scene.now))
    expect(await verdictOn(resultOf(0, 30))).toBe('taken')
  })

  test('leaves a second result to the rules path', async () => {
    await scene.take(resultOf(0, 30))
    await leaves(resultOf(0, 30), accepted)
    await leaves(resultOf(0, 20, { requestId: `second-${number}` as RequestId }), accepted)
  })

  test('leaves the late copy of a result that was taken back (I-2)', async () => {
    await scene.take(resultOf(0, 30))
    await scene.apply(unsettle(player(), bet(0), `unsettle-${number}`))
    await leaves(resultOf(0, 30), accepted)
    expect(await scene.read(`select balance from purser.account where player = '${player()}'`)).toEqual([
      { balance: '9000' },
    ])
  })

  test('leaves a result whose bet is missing, not open or in another currency', async () => {
    await patch({ currencies: ['EUR', 'USD'] })
    await leaves(resultOf(1, 30), refused('invalid_request'))
    await leaves(resultOf(0, 30, { currency: USD }), refused('invalid_request'))
    await scene.apply(betOf(2, 1000))
    await leaves(resultOf(2, 30), refused('invalid_request'))
    await scene.apply(rollback(player(), bet(0), `rollback-${number}`))
    await leaves(resultOf(0, 30), refused('recalculation_blocked'))
  })

  test('leaves a result of a bet that was cancelled by hand', async () => {
    const change = (status: string) =>
      scene.read(`update purser.bet set status = '${status}' where bet_id = '${bet(0)}'`)
    await change('cancelled')
    await leaves(resultOf(0, 30), refused('recalculation_blocked'))
    await change('open')
  })

  test('leaves the refund of a bet that the promotions account funded (M-4)', async () => {
    await scene.apply(betOf(1, 10, { hasBonus: true }))
    await leaves(resultOf(1, 10, { resultType: 'refund' }), accepted)
    expect(await scene.read(`select balance from purser.account where player = '${player()}'`)).toEqual([
      { balance: '9000' },
    ])
  })

  test('leaves a result of a bet without a stake', async () => {
    scene.rules = { ...scene.rules, freebetStake: 'player' }
    expect(await verdictOn(betOf(1, 0, { hasBonus: true }))).toBe('taken')
    scene.rules = { ...scene.rules, freebetStake: 'promotions' }
    await leaves(resultOf(1, 0), accepted)
  })

  test('takes the result that makes the largest balance, and leaves one of a cent more', async () => {
    await scene.take(betOf(1, 10))
    for (const cents of [91, 92, 93, 94, 95, 96, 97, 98]) await cash('deposit', `9999999999999999.${cents}`)
    const [account] = await scene.read(`select balance from purser.account where player = '${player()}'`)
    const room = MAX_BALANCE - BigInt(String(account?.balance))
    await leaves(resultOf(1, 1, { payout: money(room + 1n) }), refused('invalid_request'))
    expect(await scene.take(resultOf(0, 1, { payout: money(room) }))).toEqual([taken()])
  })

  test('leaves a cashout and a result that contradicts itself', () => {
    const cashout = resultOf(0, 10, { resultType: 'cashout' })
    const contradictions = [resultOf(0, 0, { resultType: 'won' }), resultOf(0, 10, { resultType: 'lost' })]
    expect([cashout, ...contradictions].map((call) => isFastPathEligible(call, scene.rules))).toEqual([
      false,
      false,
      false,
    ])
    expect(isFastPathEligible(rollback(player(), bet(0), 'any'), scene.rules)).toBe(false)
    expect(isFastPathEligible(unsettle(player(), bet(0), 'any'), scene.rules)).toBe(false)
  })

  test('leaves a payout that the odds cannot produce (W-49), and takes one that they can', async () => {
    const odds = (cents: bigint) => ({ oddsPayout: money(cents) })
    for (const n of [1, 2, 3]) await scene.take(betOf(n, 10, odds(2_000n)))
    await leaves(resultOf(1, 0, { payout: money(2_002n), resultType: 'won' }), accepted)
    expect(await verdictOn(resultOf(2, 0, { payout: money(2_001n), resultType: 'won' }))).toBe('taken')
    expect(await verdictOn(resultOf(3, 0))).toBe('taken')
    expect(
      await scene.read(
        `select bet_id, anomaly from purser.bet_call where player = '${player()}' and anomaly is not null`,
      ),
    ).toEqual([{ bet_id: bet(1), anomaly: 'payout_above_odds' }])
  })

  test('leaves a result of another platform, unless bets are shared (W-43)', async () => {
    await leaves(resultOf(0, 30, { platform: 'other' }), refused('invalid_request'))
    scene.rules = { ...scene.rules, sharedBets: true }
    expect(await verdictOn(resultOf(0, 30, { platform: 'other' }))).toBe('taken')
    scene.rules = { ...scene.rules, sharedBets: false }
  })

  test('leaves a result with the id of another player’s bet, which is another bet (I-1)', async () => {
    const other = `another than ${player()}`
    await seat(scene, other, '20.00')
    await leaves(settle(other, bet(0), `result-${number}-of-other`, 30), refused('invalid_request'))
  })

  test('credits the account of its currency', async () => {
    await patch({ currencies: ['EUR', 'USD'] })
    await cash('deposit', '50.00', 'USD')
    await scene.apply(betOf(1, 10, { token: await dollars(), currency: USD }))
    expect(await verdictOn(resultOf(1, 30, { currency: USD }))).toBe('taken')
    expect(
      await scene.read(`select currency, balance from purser.account where player = '${player()}' order by 1`),
    ).toEqual([
      { currency: 'EUR', balance: '9000' },
      { currency: 'USD', balance: '7000' },
    ])
  })

  async function dollars() {
    const token = hashToken(`dollars of ${player()}`)
    const session = { player: player() as PlayerId, currency: USD, expiresAt: NEXT_DAY, endedAt: null }
    await scene.db.transaction((tx) => insertSession(tx, 0, token, { ...session, ip: null, country: null }, scene.now))
    return token
  }

  test('leaves a result whose account is a day ahead because of another clock', async () => {
    const token = await seatForDays(scene, player())
    scene.now = NEXT_DAY
    await scene.take(betOf(1, 10, { token }))
    scene.now = new Date(NEXT_DAY.getTime() - 1)
    await leaves(resultOf(0, 30), accepted)
  })
})

describe('the fast path for a player whose row is locked', () => {
  test('returns busy for Place bets and results, and takes the calls of other players', async () => {
    const other = `other of ${player()}`
    await seat(scene, other, '100.00')
    await scene.take(betOf(0, 10))
    const held = await hold()
    expect(await scene.take(betOf(1, 10), place(other, bet(2), 10))).toEqual([{ kind: 'busy' }, taken()])
    expect(await scene.take(resultOf(0, 30), settle(other, bet(2), 'result', 30))).toEqual([{ kind: 'busy' }, taken()])
    held.letGo()
    await held.ended
    expect(await scene.take(betOf(1, 10))).toEqual([taken()])
  })

  test('does not return busy for a player who does not exist', async () => {
    expect(await scene.take(place('nobody', bet(1), 10))).toEqual([{ kind: 'left' }])
  })

  async function hold() {
    const [isHeld, mayGo] = [signal(), signal()]
    const ended = scene.db.transaction(async (tx) => {
      await tx.query({ name: 'hold', text: HOLD }, [player()])
      isHeld.give()
      await mayGo.given
    })
    await isHeld.given
    return { letGo: mayGo.give, ended }
  }
})

const HOLD = 'select from purser.player where bucket = 0 and player = $1::text for update'

// Citus refuses triggers.
test.skipIf(IS_ON_CITUS)(
  'a bet that is not written together with its account rolls back the whole batch on the fast path',
  async () => {
    await scene.take(betOf(0, 10))
    await scene.read(`create function keep() returns trigger language plpgsql as 'begin return null; end'`)
    await scene.read('create trigger keep before update on purser.bet for each row execute function keep()')
    await expect(scene.take(resultOf(0, 30))).rejects.toMatchObject({ code: STALE_ROW_SQLSTATE })
    await scene.read('drop trigger keep on purser.bet')
    expect(await scene.take(resultOf(0, 30))).toEqual([taken()])
  },
)
