/**
 * The endpoint for an audit runs one audit at a time in a process, and gives its result to all
 * requests that wait.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { createAuditEndpoint } from '../../src/wallet/operator-api/audit/audit-endpoint.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let db: Db
let audits = 0
const lastAudit = { audited: () => void audits++ }

beforeAll(async () => {
  wallet = await startWallet()
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  await playerWithMoney(wallet.operator, '100.00')
})
beforeEach(() => {
  audits = 0
})
afterAll(async () => {
  await wallet.auditIsClean()
  await db.close()
  await wallet.stop()
})

test('requests during an audit get its result, and a later request starts another audit', async () => {
  const ask = createAuditEndpoint({ db, clawback: 'refuse', lastAudit, clock: wallet.clock })
  const answers = await Promise.all([ask(), ask(), ask()])
  expect(answers).toEqual(Array(3).fill({ ok: true, findings: [] }))
  expect(audits).toBe(1)
  expect(await ask()).toEqual({ ok: true, findings: [] })
  expect(audits).toBe(2)
})

test('the failure of an audit is reported to all waiting requests, and is not cached', async () => {
  let isDown = true
  const snapshot: Db['snapshot'] = async (work) => {
    if (isDown) throw new Error('the database is away')
    return db.snapshot(work)
  }
  const ask = createAuditEndpoint({ db: { snapshot }, clawback: 'refuse', lastAudit, clock: wallet.clock })
  const outcomes = await Promise.allSettled([ask(), ask()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isDown = false
  expect(await ask()).toEqual({ ok: true, findings: [] })
  expect(audits).toBe(1)
})
