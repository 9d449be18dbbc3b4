/**
 * Platform and gateway keep their targets of calls (partners and operators) up to date when another
 * process changes these in the shared database.
 */

import { ANYWHERE } from '@purser/protocol/values/base-url'
import { environment } from '@purser/runtime/environment'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { createEncryptionKeyring } from '../../src/core/database/encryption/encryption-keyring.ts'
import { createOperators } from '../../src/gateway/operators/operators.ts'
import { createPartners } from '../../src/platform/partner-clients.ts'
import { ANY_ACTOR } from '../support/any-actor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'
import { inSql } from '../support/second-postgres.ts'
import { signal } from '../support/signal.ts'
import { type StillWorld, standStill } from '../support/still-world.ts'
import { settleMessage } from '../support/wire.ts'

/** Milliseconds until a change takes effect in every process. */
const REFRESH_MS = 5_000
const HOUR_MS = 3_600_000
const KEYRING = createEncryptionKeyring([Buffer.alloc(32, 'k')])

interface Target {
  readonly baseUrl: string
  readonly secrets: readonly string[]
  readonly connection: object
}

interface Side {
  save(id: string, target: Target): Promise<void>
  /** Sends a result; false when the target does not exist. */
  send(id: string): Promise<boolean>
  close(): Promise<void>
}

function partners(db: Db): Side {
  const { save, client, close } = createPartners(db, KEYRING, {})
  return {
    close,
    save: (partnerId, target) => save(ANY_ACTOR, { partnerId, ...target }, new Date()),
    async send(id) {
      const found = await client(id, 'results')
      await found?.call('settle', JSON.stringify(settleMessage({})))
      return found !== undefined
    },
  }
}

function operators(db: Db): Side {
  const { save, findClient, close } = createOperators(db, KEYRING, ANYWHERE)
  return {
    close,
    save: (operatorId, target) => save(ANY_ACTOR, { operatorId, ...target }, new Date()),
    async send(id) {
      const found = await findClient(id, 'deliveries')
      const body = Buffer.from(JSON.stringify(settleMessage({})))
      await found?.send({ method: 'PUT', path: '/payment/bet', body, arrivedAt: environment.monotonicNow() })
      return found !== undefined
    },
  }
}

/** A database whose reads the test can delay or fail. */
function watched(db: Db) {
  const reads = new Set<Promise<unknown>>()
  let before: () => Promise<unknown> = async () => {}
  const query: Db['query'] = (...asked) => {
    const read = db.query<never>(...asked).then(async (rows) => {
      await before()
      return rows
    })
    reads.add(read)
    return read.finally(() => reads.delete(read))
  }
  return {
    db: { ...db, query },
    /** A result is returned after `before` resolves; the read fails when it rejects. */
    answersAfter: (other: typeof before) => {
      before = other
    },
    async rest() {
      await Promise.allSettled(reads)
      await new Promise<void>((done) => environment.nextTurn(done))
    },
  }
}

let database: TestDatabase
let db: Db
let [old, moved] = [] as unknown as [ScriptedWallet, ScriptedWallet]
let time: StillWorld
beforeEach(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
  old = await startScriptedWallet({ secret: 'the secret of before' })
  moved = await startScriptedWallet({ secret: 'the secret of after' })
  time = standStill()
})
afterEach(async () => {
  time.giveBack()
  await Promise.all([old.stop(), moved.stop()]) // throws when a call had another secret's signature
  await db.close()
  await database.drop()
})

const targetOf = ({ url, secret }: ScriptedWallet): Target => ({ baseUrl: url, secrets: [secret], connection: {} })
const callsOf = (...wallets: ScriptedWallet[]) => wallets.map((wallet) => wallet.of('settle').length)

describe.each([
  ['partners', partners, 'platform.partner', 'partner_id'],
  ['operators', operators, 'gateway.operator', 'operator_id'],
])('the client of %s', (_name, begin, table, column) => {
  let here: ReturnType<typeof watched>
  let side: Side
  let other: Side
  let [given, give] = [Promise.resolve(), () => {}]
  beforeEach(async () => {
    ;({ given, give } = signal())
    here = watched(db)
    side = begin(here.db)
    other = begin(db)
    await other.save('anna', targetOf(old))
    expect(await side.send('anna')).toBe(true)
  })
  afterEach(async () => {
    give()
    here.answersAfter(async () => {})
    await Promise.all([side.close(), other.close()])
  })

  const pass = async (milliseconds: number) => {
    time.pass(milliseconds)
    await here.rest()
  }

  test('uses changes of another process within 5 s', async () => {
    await other.save('anna', targetOf(moved))
    await pass(REFRESH_MS)
    await side.send('anna')
    expect(callsOf(old, moved)).toEqual([1, 1])
  })

  test('uses such a change in the first call after a long pause', async () => {
    await pass(HOUR_MS)
    await other.save('anna', targetOf(moved))
    await pass(HOUR_MS)
    await side.send('anna')
    expect(callsOf(old, moved)).toEqual([1, 1])
  })

  test('does not wait for a silent database, and does not fail with a failing one', async () => {
    here.answersAfter(() => given)
    time.pass(HOUR_MS)
    const sent = side.send('anna')
    await old.seen('settle', 2)
    await sent
    give()
    await here.rest()
    here.answersAfter(() => Promise.reject(new Error('gone')))
    await pass(HOUR_MS)
    await side.send('anna')
    expect(callsOf(old)).toEqual([3])
    here.answersAfter(async () => {})
    await other.save('anna', targetOf(moved))
    await pass(REFRESH_MS)
    await side.send('anna')
    expect(callsOf(old, moved)).toEqual([3, 1])
  })

  test('stops calling a deleted target, and finishes the calls in flight', async () => {
    old.next('settle', { hold: given })
    const underWay = side.send('anna')
    await old.seen('settle', 2)
    await inSql(database.url, `delete from ${table} where ${column} = 'anna'`)
    await pass(REFRESH_MS)
    for (let call = 0; call < 2; call++) expect(await side.send('anna')).toBe(false)
    give()
    expect(await underWay).toBe(true)
    expect(callsOf(old)).toEqual([2])
  })

  test('keeps a change of its own process when an older read ends later', async () => {
    here.answersAfter(() => given)
    time.pass(REFRESH_MS)
    await side.save('anna', targetOf(moved))
    give()
    await here.rest()
    await side.send('anna')
    expect(callsOf(old, moved)).toEqual([1, 1])
  })

  test('keeps a change of its own process that equals the earlier state', async () => {
    await other.save('anna', targetOf(moved))
    here.answersAfter(() => given)
    time.pass(REFRESH_MS / 2)
    await side.save('anna', targetOf(old))
    give()
    await here.rest()
    await side.send('anna')
    expect(callsOf(old, moved)).toEqual([2, 0])
  })

  test('keeps a change of its own process when the first read ends later, and waiting calls use the change', async () => {
    await other.save('bert', targetOf(old))
    here.answersAfter(() => given)
    const first = side.send('bert')
    await side.save('bert', targetOf(moved))
    give()
    await first
    await side.send('bert')
    expect(callsOf(old, moved)).toEqual([1, 2])
  })

  test('opens no connection when a read ends after the shutdown', async () => {
    await other.save('bert', targetOf(old))
    here.answersAfter(() => given)
    const first = side.send('bert')
    await side.close()
    give()
    expect(await first).toBe(false)
    expect(callsOf(old)).toEqual([1])
  })

  test('keeps the connections of an unchanged target', async () => {
    await pass(HOUR_MS)
    await side.send('anna')
    expect(new Set(old.of('settle').map(({ connection }) => connection)).size).toBe(1)
  })

  test('ignores a row written without the encryption key, and still reads the other rows (O-5)', async () => {
    await other.save('bert', targetOf(old))
    await side.send('bert')
    await inSql(
      database.url,
      `update ${table} set secrets = '["stolen"]', base_url = '${moved.url}' where ${column} = 'anna'`,
    )
    await other.save('bert', targetOf(moved))
    await pass(REFRESH_MS)
    await side.send('anna')
    expect(callsOf(old, moved)).toEqual([3, 0])
    await side.send('bert')
    expect(callsOf(old, moved)).toEqual([3, 1])
  })
})
