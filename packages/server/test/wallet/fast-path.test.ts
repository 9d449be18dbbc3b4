/**
 * The fast path (fast-path.ts) accepts Place bets in SQL. It may leave any call to the rules path,
 * but accepts only calls that the rules path would accept.
 */

import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { describe, expect, test } from 'vitest'
import { createPlayer, type patchPlayer } from '../../src/wallet/operator-api/players/player-profile.ts'
import { isFastPathEligible } from '../../src/wallet/queue/fast-path.ts'
import type { PlaceCall } from '../../src/wallet/store/bet.ts'
import { endSessions, hashToken, insertSession } from '../../src/wallet/store/session.ts'
import { ANY_ACTOR, elsewhere, place, rollback, STARTED_AT, seat, seatForDays } from './call-batch-scene.ts'
import {
  accepted,
  bet,
  betOf,
  byHand,
  cash,
  IS_ON_CITUS,
  leaves,
  NEXT_DAY,
  number,
  patch,
  player,
  refused,
  scene,
  seatEachTime,
  taken,
  verdictOn,
} from './fast-path-scene.ts'

const [EUR, USD] = ['EUR', 'USD'] as [Currency, Currency]

seatEachTime()

describe('the fast path for Place bets', () => {
  test('takes the bets of unrestricted players in one batch', async () => {
    const other = `other of ${player()}`
    await seat(scene, other, '20.00')
    expect(await scene.take(betOf(1, 10), place(other, bet(2), 20))).toEqual([taken(), taken()])
    if (!IS_ON_CITUS) expect(scene.statements.slice(-2)).toEqual(['fast_path_lock', 'fast_path_place'])
  })

  test('takes a bet of the whole balance, and leaves one of a cent more', async () => {
    await leaves(betOf(1, 101), refused('not_enough_money'))
    expect(await verdictOn(betOf(2, 100))).toBe('taken')
    await leaves(betOf(3, 1), refused('not_enough_money'))
  })

  const standing: [string, Parameters<typeof patchPlayer>[3], string][] = [
    ['is blocked', { status: 'blocked' }, 'player_blocked'],
    ['is not verified', { verified: false }, 'not_verified'],
    ['has limits', { limits: { stake: '5.00' } }, 'stake_limit'],
    ['is self-excluded', { selfExcludedUntil: '2031-05-16T10:00:00.001Z' }, 'self_excluded'],
    ['is too young by a day', { birthday: '2013-05-17' }, 'under_age'],
  ]
  test.each(standing)('leaves the bet of a player who %s', async (_, change, code) => {
    await patch(change)
    await leaves(betOf(1, 10), refused(code))
    // the rules path has checked the player, with the same result
    await leaves(betOf(2, 10), refused(code))
  })

  const nothing: [string, Parameters<typeof patchPlayer>[3]][] = [
    ['is verified', { verified: true }],
    ['was self-excluded until this moment', { selfExcludedUntil: STARTED_AT.toISOString() }],
    ['comes of age today', { birthday: '2013-05-16' }],
    ['has no limits any more', { limits: {} }],
  ]
  test.each(nothing)('takes the bet of a player who %s', async (_, change) => {
    await patch({ limits: { betCount: 1 }, verified: false })
    await patch({ limits: { betCount: null }, verified: null })
    await patch(change)
    expect(await verdictOn(betOf(1, 10))).toBe('taken')
  })

  test('computes the age as the rules path does', async () => {
    await patch({ birthday: '2013-05-16' })
    scene.rules = { ...scene.rules, minimumAge: 19 }
    await leaves(betOf(1, 10), refused('under_age'))
    scene.rules = { ...scene.rules, minimumAge: 18 }
  })

  test('leaves a bet when another program has changed the row of the player', async () => {
    await byHand("update purser.player set status = 'blocked'")
    await leaves(betOf(1, 10), refused('player_blocked'))
    await byHand("update purser.player set status = 'active', verified = true")
    await leaves(betOf(2, 10), accepted)
    expect(await verdictOn(betOf(3, 10))).toBe('taken')
  })

  test('leaves the first bet of a player whom the rules path has not checked yet', async () => {
    await byHand('update purser.player set unrestricted_as = null')
    await leaves(betOf(1, 10), accepted)
    expect(await verdictOn(betOf(2, 10))).toBe('taken')
  })

  test('leaves a bet without a valid token of the player', async () => {
    const other = `other of ${player()}`
    await seat(scene, other, '20.00')
    await leaves(betOf(1, 10, { token: hashToken('nobody has this one') }), refused('invalid_token'))
    await leaves(betOf(2, 10, { token: hashToken(`token-of-${other}`) }), refused('invalid_token'))
    await leaves(betOf(3, 10, { token: hashToken(`old-token-of-${player()}`) }), refused('expired_token'))
    await scene.db.transaction((tx) => endSessions(tx, 0, player() as PlayerId, scene.now))
    await leaves(betOf(4, 10), refused('expired_token'))
  })

  test('leaves a bet in another currency than that of its token', async () => {
    await patch({ currencies: ['EUR', 'USD'] })
    await cash('deposit', '50.00', 'USD')
    await leaves(betOf(1, 10, { currency: USD }), refused('invalid_request'))
    await leaves({ ...betOf(2, 10, { currency: 'GBP' }) } as PlaceCall, refused('invalid_request'))
  })

  test('leaves a bet whose id is known, in any state', async () => {
    await scene.take(betOf(1, 10))
    await leaves(betOf(1, 10), { kind: 'accepted' })
    await scene.apply(rollback(player(), bet(2), `rollback-${number}`))
    await leaves(betOf(2, 10), refused('already_processed'))
    await scene.apply(betOf(3, 1000))
    await leaves(betOf(3, 10), refused('not_enough_money'))
  })

  test('takes a bet with the id of another player’s bet, which is another bet (I-1)', async () => {
    const other = `other of ${player()}`
    await seat(scene, other, '20.00')
    await scene.take(betOf(1, 10))
    expect(await verdictOn(place(other, bet(1), 10))).toBe('taken')
  })

  test('leaves the bet of a blocked player who is created a second time', async () => {
    await patch({ status: 'blocked' })
    await createPlayer(elsewhere(scene), ANY_ACTOR, { userId: player(), currency: 'EUR' })
    await leaves(betOf(1, 10), refused('player_blocked'))
  })

  test('leaves the bet of a player who does not exist', async () => {
    await leaves(place('nobody', bet(1), 10), refused('invalid_token'))
  })

  test('leaves a bet that the promotions account funds', () => {
    expect(isFastPathEligible(betOf(1, 10, { hasBonus: true }), scene.rules)).toBe(false)
    expect(isFastPathEligible(betOf(1, 10, { hasBonus: true }), { ...scene.rules, freebetStake: 'player' })).toBe(true)
  })

  test('starts the day of an account, and leaves an account that is a day ahead because of another clock', async () => {
    const token = await seatForDays(scene, player())
    scene.now = NEXT_DAY
    expect(await verdictOn(betOf(1, 10, { token }))).toBe('taken')
    const opening = `select version, opening_version from purser.account where player = '${player()}'`
    expect(await scene.read(opening)).toEqual([{ version: '2', opening_version: '1' }])
    expect(await verdictOn(betOf(2, 10, { token }))).toBe('taken')
    expect(await scene.read(opening)).toEqual([{ version: '3', opening_version: '1' }])
    scene.now = new Date(NEXT_DAY.getTime() - 1)
    await leaves(betOf(3, 10, { token }), accepted)
    const [row] =
      await scene.read(`select b.placed_at, t.at from purser.bet b join purser.transfer t using (bucket, bet_id)
      where b.bet_id = '${bet(3)}'`)
    expect(row).toEqual({ placed_at: scene.now, at: NEXT_DAY })
  })

  test('leaves a bet that has waited too long (R-5)', async () => {
    expect(await scene.takeLate(betOf(1, 10))).toEqual([{ kind: 'left' }])
  })
})

test('the fast path and the rules path treat a token in another currency, and in EUR, alike', async () => {
  await patch({ currencies: ['EUR', 'USD'] })
  const session = { player: player() as PlayerId, currency: USD as Currency, expiresAt: NEXT_DAY, endedAt: null }
  const token = hashToken(`dollars of ${player()}`)
  await scene.db.transaction((tx) => insertSession(tx, 0, token, { ...session, ip: null, country: null }, scene.now))
  await leaves(betOf(1, 10, { token, currency: EUR }), refused('invalid_request'))
  await leaves(betOf(2, 10, { token, currency: USD }), refused('not_enough_money'))
})
