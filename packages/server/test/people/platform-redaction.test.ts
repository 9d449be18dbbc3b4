/**
 * The platform hides the address of a player and the free text of a bet from the role `read`
 * (O-11).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aBet, startPlatform, type TestPlatform } from '../support/platform.ts'
import { type Asking, asking, asMaria } from './audited-calls.ts'

const IP = '203.0.113.77'
const INFO = 'ada likes this'

let platform: TestPlatform
let betId: string
const asked = {} as Record<'read' | 'support', Asking>

beforeAll(async () => {
  platform = await startPlatform()
  const admin = asking(platform.url, platform.key, '/actions')
  for (const role of ['read', 'support'] as const) {
    const { key } = await admin.must('POST', '/keys', { name: role, role })
    asked[role] = asking(platform.url, String(key), '/actions')
  }
  const { partnerId } = await platform.partner()
  const frameSessionId = await platform.api.loadFrame(partnerId)
  const bet = { ...aBet(), frameSessionId, ip: IP, info: INFO }
  betId = String((await admin.must('POST', '/bets', bet, asMaria)).betId)
})
afterAll(() => platform.stop())

test.each(['/bets/', '/show/'])(
  'GET %s shows address and free text of a bet to the role support and not to the role read',
  async (path) => {
    const seen = JSON.stringify(await asked.support.must('GET', path + betId))
    const masked = JSON.stringify(await asked.read.must('GET', path + betId))
    for (const text of [IP, INFO]) {
      expect(seen).toContain(text)
      expect(masked).not.toContain(text)
    }
    expect(masked).toMatch(/"ip":"\*\*\*".*"info":"\*\*\*"/)
  },
)

test('no list, log or feed shows address or free text of a bet to the role read', async () => {
  for (const path of ['/bets', '/deliveries', '/actions', '/changes', '/partners']) {
    const shown = JSON.stringify(await asked.read.must('GET', path))
    for (const text of [IP, INFO]) expect(shown, path).not.toContain(text)
  }
})
