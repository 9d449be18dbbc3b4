/**
 * Reconcile reports a decision as owed if the partner has not acknowledged it and no delivery is in
 * progress (C-9).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { ReconcileFinding } from '../../src/reconcile/bet-comparison.ts'
import { reconcile, type Summary } from '../../src/reconcile/reconcile.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { fakeTime } from '../support/fake-time.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'
import { type Books, betIdOf, writeBooks } from './books.ts'

interface Result extends Summary {
  findings: ReconcileFinding[]
}

async function compare(platformUrl: string, walletUrl = platformUrl): Promise<Result> {
  const [platform, wallet] = await Promise.all([platformUrl, walletUrl].map((url) => openDb({ kind: 'postgres', url })))
  if (platform === undefined || wallet === undefined) throw new Error('no database')
  const findings: ReconcileFinding[] = []
  try {
    const source = platformUrl === walletUrl ? ({ kind: 'same' } as const) : ({ kind: 'database', db: wallet } as const)
    const summary = await reconcile({ platform, wallet: source }, (one) => findings.push(one))
    return { ...summary, findings }
  } finally {
    await Promise.all([platform.close(), wallet.close()])
  }
}

const summaryOf = ({ findings }: Result) => findings.map(({ kind, betId }) => `${kind} ${betId}`).sort()

/** Bets 5, 10, 15 … are open on both sides. */
describe('reconcile after books that agreed', () => {
  let database: TestDatabase
  let books: Books
  beforeEach(async () => {
    database = await createDatabase()
    books = await writeBooks(database.url, database.url, 20)
  })
  afterEach(async () => {
    await books.close()
    await database.drop()
  })

  /** The platform decides that bet `i` won 21.00; its delivery has this state. */
  async function decide(i: number, status: string, code: number | null, operation = 'settle'): Promise<void> {
    const isOwed = status === 'stuck' || status === 'refused' || code !== null
    await books.platform(
      `insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, code, decided_at, due_at, owed_since)
       select bet_id, 2, partner_id, '${operation}', bet_id, '${status}', ${code}, now(), now(), ${isOwed ? 'now()' : null} from platform.bet where bet_id = $1`,
      i,
    )
    const state =
      operation === 'settle' ? "status = 'settled', payout = 2100, result_type = 'won'" : "status = 'cancelled'"
    await books.platform(`update platform.bet set ${state}, deliveries = 2 where bet_id = $1`, i)
  }

  test.each([
    ['refused', 20, 'the partner refused the settle, code 20'],
    ['refused', null, 'the partner refused the settle'],
    ['stuck', null, 'the settle is stuck'],
    ['stuck', 1, 'the settle is stuck, code 1'],
    ['pending', 1, 'the settle is being retried, code 1'],
  ])('reports a result that is %s with code %s as owed', async (status, code, words) => {
    await decide(5, status, code)
    const { findings, ...summary } = await compare(database.url)
    expect(summary).toMatchObject({ differences: 1, notes: 0, inFlight: 0 })
    expect(findings).toMatchObject([
      {
        ...{ type: 'difference', kind: 'owed', betId: betIdOf(5), player: 'player-5' },
        ...{ platform: `settled won 21.00 EUR, but ${words}`, wallet: 'open, stake 10.00 EUR' },
        details: { decidedPayout: '21.00', acknowledgedStatus: 'open', code, delivery: status, walletStatus: 'open' },
      },
    ])
  })

  const due = (since: string) => `due_at = now() - interval '${since}'`
  const claimed = (since: string) => `is_claimed = true, attempts = 9, first_attempt_at = now() - interval '${since}'`
  test.each([
    ['a settle that nobody claims', 'settle', due('61 minutes'), due('59 minutes')],
    ['a settle that cannot be ended', 'settle', claimed('26 hours 1 minute'), claimed('25 hours 59 minutes')],
    ['a rollback that cannot be ended', 'rollback', claimed('67 minutes'), claimed('65 minutes')],
  ])('reports %s as owed after the time of its schedule and an hour', async (_, operation, late, not) => {
    await decide(5, 'pending', null, operation)
    await decide(10, 'pending', null, operation)
    await books.platform(`update platform.delivery set ${late} where number = 2 and bet_id = $1`, 5)
    await books.platform(`update platform.delivery set ${not} where number = 2 and bet_id = $1`, 10)
    const result = await compare(database.url)
    expect(result).toMatchObject({ differences: 1, inFlight: 1 })
    expect(summaryOf(result)).toEqual([`owed ${betIdOf(5)}`])
    expect(result.findings[0]?.platform).toContain(`the ${operation} has waited for longer than its retry schedule`)
  })

  test('reports a rollback as owed, and a decision without a delivery', async () => {
    await decide(5, 'stuck', null, 'rollback')
    await books.platform(
      "update platform.bet set acknowledged_payout = 2000 where bet_id = $1 and status = 'settled'",
      6,
    )
    const result = await compare(database.url)
    expect(summaryOf(result)).toEqual([`owed ${betIdOf(5)}`, `owed ${betIdOf(6)}`])
    expect(result.findings.map(({ platform }) => platform).sort()).toEqual([
      'cancelled, but the rollback is stuck',
      'settled won 21.00 EUR, but the partner was not notified',
    ])
  })

  test('reports an executed operation as owed only its acknowledgement, and any other state as a difference', async () => {
    for (const i of [5, 10, 15]) await decide(i, 'stuck', null)
    const pay =
      "update purser.bet set status = 'settled', payout = PAID, result_type = 'won', payee = 'player' where bet_id = $1"
    await books.wallet(pay.replace('PAID', '2100'), 5)
    await books.wallet(pay.replace('PAID', '2000'), 10)
    await books.wallet("update purser.bet set status = 'cancelled' where bet_id = $1", 15)
    expect(summaryOf(await compare(database.url))).toEqual(
      [
        `owed ${betIdOf(5)}`,
        `owed ${betIdOf(10)}`,
        `payout ${betIdOf(10)}`,
        `owed ${betIdOf(15)}`,
        `status ${betIdOf(15)}`,
      ].sort(),
    )
  })

  test('reports an unanswered result as owed, and with a later decision as in progress (W-48)', async () => {
    for (const i of [5, 10]) {
      await decide(i, 'pending', null)
      await books.platform('update platform.delivery set owed_since = now() where number = 2 and bet_id = $1', i)
      await books.wallet(
        "update purser.bet set status = 'settled', payout = 2100, result_type = 'won', payee = 'player' where bet_id = $1",
        i,
      )
    }
    const unsettled = "update platform.bet set status = 'accepted', payout = null, result_type = null, deliveries = 3"
    await books.platform(`${unsettled} where bet_id = $1`, 10)
    const result = await compare(database.url)
    expect(result).toMatchObject({ differences: 1, inFlight: 1 })
    expect(summaryOf(result)).toEqual([`owed ${betIdOf(5)}`])
  })

  test('reports an abandoned placement as owed its rollback, with or without the bet in the wallet', async () => {
    for (const i of [5, 10]) {
      await decide(i, 'stuck', null, 'rollback')
      await books.platform('update platform.bet set acknowledged_status = null where bet_id = $1', i)
    }
    await books.wallet('delete from purser.bet where bet_id = $1', 5)
    expect(summaryOf(await compare(database.url))).toEqual([`owed ${betIdOf(5)}`, `owed ${betIdOf(10)}`])
  })

  test('reports nothing as owed while the delivery is in progress, and a rejected cashout as a note (C-8)', async () => {
    await decide(5, 'pending', null)
    await decide(10, 'refused', 4)
    await books.platform(
      "update platform.bet set status = 'accepted', payout = null, result_type = null where bet_id = $1",
      10,
    )
    const { findings, ...summary } = await compare(database.url)
    expect(summary).toMatchObject({ differences: 0, notes: 1, inFlight: 1 })
    expect(findings).toMatchObject([
      { kind: 'refused_by_partner', platform: 'accepted, but the partner refused the settle, code 4', wallet: 'open' },
    ])
  })
})

test('a wrong secret leaves every winner owed, and none after it is corrected', async () => {
  const [time, wallet] = [fakeTime(), await startWallet()]
  const platform = await startPlatform({ time })
  try {
    const { api } = platform
    const partnerId = await api.savePartner(wallet)
    const slip = { amount: '10.00', selections: [{ eventId: 'final', outcomeId: 'home', coefficient: '2.1' }] }
    for (let i = 0; i < 3; i++) {
      const { token } = await playerWithMoney(wallet.operator, '10.00')
      await api.place(await api.loadFrame(partnerId, token), slip)
    }
    await api.savePartner({ url: wallet.url, secret: 'mistyped' }, partnerId)
    await api.results('final', { home: 'won' })
    await time.settle()
    const owed = await compare(platform.databaseUrl, wallet.databaseUrl)
    expect(owed).toMatchObject({ differences: 3, inFlight: 0 })
    expect(new Set(owed.findings.map(({ kind, details }) => `${kind} ${details.code}`))).toEqual(new Set(['owed 1']))
    await api.savePartner(wallet, partnerId)
    await time.advance(60_000)
    expect(await compare(platform.databaseUrl, wallet.databaseUrl)).toMatchObject({ differences: 0, inFlight: 0 })
    await wallet.auditIsClean()
  } finally {
    await platform.stop()
    await wallet.stop()
  }
})
