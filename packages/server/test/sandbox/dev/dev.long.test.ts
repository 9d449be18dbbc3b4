/** `purser dev` in front of a right wallet: the page, the troubles, the bettors, and the end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { MutantId } from '../../../../conformance/test/mutants/mutants.ts'
import { DEV_TROUBLES } from '../../../src/sandbox/dev/troubles/dev-troubles.ts'
import { type DevSession, startDevSession } from './dev-session.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-dev-'))
afterAll(() => rmSync(folder, { recursive: true }))

let session: DevSession | undefined
afterEach(async () => {
  await session?.stop()
  session = undefined
})

/** Lines of calls so far. */
function countCalls(): number {
  return session?.output().match(/^\d\d:\d\d:/gm)?.length ?? 0
}

interface State {
  readonly balance: string
  readonly matches: readonly { readonly id: string }[]
  readonly bets: readonly { readonly betId: string; readonly status: string }[]
  readonly troubles: readonly { readonly name: string }[]
}
interface Report {
  readonly isAsDemanded: boolean
  readonly wallet: readonly string[]
  readonly money: string
  readonly calls: readonly number[]
}

describe('purser dev in front of a right wallet', () => {
  test('places and decides a bet of the page, and shows each call with a verdict', async () => {
    session = await startDevSession()
    await session.ready()
    const { body: before } = await session.ask<State>('GET', '/sandbox/frame')
    const matchId = before.matches[0]?.id
    const placed = await session.ask<{ betId: string }>('POST', '/sandbox/frame/bets', {
      ...{ matchId, outcome: 'home', stake: '10.00' },
    })
    expect(placed.body).toMatchObject({ status: 'accepted' })
    const { betId } = placed.body
    const { body: after } = await session.ask<State>('POST', `/sandbox/frame/bets/${betId}`, { what: 'lost' })
    expect([before.balance, after.balance]).toEqual(['1000.00', '990.00'])
    const { body: wire } = await session.ask<{ calls: object[] }>('GET', '/sandbox/frame/wire')
    expect(wire.calls).toContainEqual(
      expect.objectContaining({
        ...{ operation: 'place', betId, status: 200, verdict: expect.objectContaining({ kind: 'right' }) },
        curl: expect.stringContaining("'x-sign-jws: "),
      }),
    )
    expect(await session.stop()).toBe(0)
    expect(session.output()).toMatch(/Place bet .* 10\.00 EUR → 200 .* right: /)
    expect(session.output()).toMatch(/0 wrong\.[\s\S]*npx purser-conformance wallet --base-url/)
  })

  test('reports every trouble as the rules demand it', async () => {
    session = await startDevSession()
    await session.ready()
    for (const trouble of Object.keys(DEV_TROUBLES)) {
      const { status, body } = await session.ask<Report>('POST', '/sandbox/frame/troubles', { trouble })
      expect({ trouble, status, ...body }).toMatchObject({ status: 200, isAsDemanded: true })
      expect([trouble, body.calls.length > 1]).toEqual([trouble, true])
    }
    expect(await session.stop()).toBe(0)
  })

  test('finds no call wrong while bettors play with faults', async () => {
    session = await startDevSession({ players: 2, flags: { bettors: '4', faults: '0.2' } })
    await expect.poll(countCalls, { timeout: 240_000 }).toBeGreaterThan(200)
    const code = await session.stop()
    expect({ code, wrong: session.output().match(/.* wrong: .*/g) ?? [] }).toEqual({ code: 0, wrong: [] })
    expect(session.output()).toMatch(/^\d+ calls: /m)
  })

  test('plays a scenario, and ends with the exit code of its verdicts', async () => {
    const file = join(folder, 'steps.json')
    const steps = [
      { operation: 'place', named: 'bet' },
      { operation: 'place', bytesOf: 'bet' },
      { operation: 'settle', resultType: 'won', amount: '25' },
      { kind: 'together', calls: [{ operation: 'rollback' }, { operation: 'rollback' }] },
    ]
    writeFileSync(file, JSON.stringify(steps))
    session = await startDevSession({ flags: { scenario: file } })
    expect(await session.ended).toBe(0)
    expect(session.output().match(/^\d\S+ (Place bet|Settle|Rollback)/gm)).toHaveLength(5)
    session = await startDevSession({ fault: 'place-repeat-debits', flags: { scenario: file, json: true } })
    expect(await session.ended).toBe(1)
    const events = session
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; wrong?: number })
    expect(events.at(-1)).toMatchObject({ event: 'sum', wrong: 1 })
  })
})

test('purser dev waits for a wallet that restarts, and goes on', async () => {
  session = await startDevSession({ flags: { bettors: '1' } })
  await session.ready()
  await session.printed(/(Place bet )/)
  await session.pauseWallet()
  await session.printed(/(accepts\s+no\s+connections)/)
  await session.resumeWallet()
  await session.printed(/back after \d+ s\.[\s\S]*(Place bet .*→ 200)/)
  expect(await session.stop()).toBe(0)
})

test.each<[MutantId, RegExp]>([
  ['place-repeat-debits', /double debit/],
  ['settle-repeat-pays', /payout twice/],
  ['rollback-unknown-credits', /refund without stake/],
])('purser dev names the fault of a wallet with %s', async (fault, cause) => {
  session = await startDevSession({ fault, players: 2, flags: { bettors: '4', faults: '0.3' } })
  await session.printed(/( wrong: )/)
  expect(await session.stop()).toBe(1)
  expect(session.output()).toMatch(/To mend first:|to mend first:/)
  expect(session.output().slice(session.output().lastIndexOf(' calls: '))).toMatch(cause)
})
