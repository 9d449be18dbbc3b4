/**
 * A wallet passes the kit in spite of temporary failures. Where the interface specifies no answer,
 * the wallet passes with any.
 */
import { expect, test } from 'vitest'
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'
import type { ProxiedCall } from './faulty-proxy.ts'
import { isRollback, passing, verdicts } from './lenient.ts'
import type { MutantId } from './mutants/mutants.ts'

test.concurrent('the kit repeats a Rollback that is answered 503 twice, as while its bet is in flight', async () => {
  const ids = ['rollback-01', 'rollback-03', 'place-07']
  const fails = (asked: ProxiedCall) => isRollback(asked) && asked.before < 2
  expect(await verdicts(ids, { fails })).toEqual(passing(ids))
})

test.concurrent('the kit repeats a Settle that is answered 503 twice', async () => {
  const ids = ['settle-01']
  expect(await verdicts(ids, { fails: ({ type, before }) => type === 2 && before < 2 })).toEqual(passing(ids))
})

test.concurrent('the kit does not repeat a Place bet that is answered 503, since the service rolls it back', async () => {
  const [found] = await verdicts(['place-01'], { fails: ({ type, method }) => method === 'POST' && type === 1 })
  expect(found).toMatch(/^place-01 Place bet X 100: HTTP status 503/)
})

test.concurrent.each<MutantId>(['race-second-bet-refused', 'race-second-bet-500'])(
  'failed bets during concurrent calls fail no MUST: %s',
  async (fault) => {
    const ids = ['race-01', 'race-05', 'race-08', 'race-09']
    expect(await verdicts(ids, {}, fault)).toEqual(passing(ids))
  },
)

test.concurrent.each<[MutantId, string]>([
  ['race-lost-update', 'race-05'],
  ['race-bet-overwrites', 'race-05'],
  ['race-results-overwrite', 'race-08'],
  ['race-funds', 'race-01'],
])('lost or created money fails a MUST: %s in %s', async (fault, id) => {
  expect(WALLET_CASES.find((one) => one.id === id)?.level).toBe('MUST')
  const [found] = await verdicts([id], {}, fault)
  expect(found).toMatch(new RegExp(`^${id} .*(the balance is|may be accepted)`))
})

test.concurrent('a wallet may answer a bad signature or an expired token with 500 and an empty body', async () => {
  const ids = ['signature-01', 'signature-02', 'signature-04', 'profile-02', 'profile-04', 'cashout-05']
  const statusOf = (code: number) => ([1, 3, 4].includes(code) ? 500 : 400)
  expect(await verdicts(ids, { statusOf })).toEqual(passing(ids))
})

test.concurrent('a wallet may answer a userStatus of any type, since the interface shows no values', async () => {
  const rewrite = (text: string) => text.replace('{"userId":', '{"customFields":{"userStatus":3},"userId":')
  expect(await verdicts(['profile-01'], { rewrite })).toEqual(passing(['profile-01']))
})
