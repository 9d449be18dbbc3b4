/** `purser dev` in front of a right wallet: the page, the troubles, the bettors, and the end. */
import { afterEach, describe, expect, test } from 'vitest'
import { DEV_TROUBLES } from '../../../src/sandbox/dev/troubles/dev-troubles.ts'
import { type DevSession, startDevSession } from './dev-session.ts'

let session: DevSession | undefined
afterEach(async () => {
  await session?.stop()
  session = undefined
})

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
    expect(session.output()).toMatch(/Place bet .* 10 EUR → 200 .* right: /)
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

  test('accuses the wallet of nothing while bettors play with faults', async () => {
    session = await startDevSession({ players: 2, flags: { bettors: '4', faults: '0.2', duration: '30' } })
    const code = await session.ended
    expect({ code, wrong: session.output().match(/.* wrong: .*/g) ?? [] }).toEqual({ code: 0, wrong: [] })
    const [, calls = '0'] = /^(\d+) calls: /m.exec(session.output()) ?? []
    expect(Number(calls)).toBeGreaterThan(100)
  })
})
