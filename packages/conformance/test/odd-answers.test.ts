/** The kit accepts every answer that the platform accepts, even in an unusual form (C-11). */
import { expect, test } from 'vitest'
import type { ProxyFaults } from './faulty-proxy.ts'
import { passing, verdicts } from './lenient.ts'

const IDS = ['place-01', 'settle-01', 'rollback-01', 'unsettle-01', 'profile-01', 'account-01']

test.concurrent.each<[string, ProxyFaults]>([
  ['a byte order mark before each answer', { rewrite: (text) => `\ufeff${text}` }],
  ['100 Continue before each answer', { continues: true }],
])('a correct wallet with %s passes the kit', async (_what, faults) => {
  expect(await verdicts(IDS, faults)).toEqual(passing(IDS))
})

test.concurrent('a correct wallet fails the kit when it sends a refusal code in accepted answers (D-5)', async () => {
  const rewrite = (text: string) => text.replace('{"transactionId":', '{"code":7,"transactionId":')
  const [place] = await verdicts(['place-01'], { rewrite })
  expect(place).toContain('HTTP status 200 with a transactionId and the code of a refusal')
})
