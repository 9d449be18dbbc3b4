// Calls that were once rejected wrongly (W-3, D-1 to D-3), byte for byte, with their correct
// outcome.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { sendSigned } from './raw-http.ts'
import { balanceOf, betView, must, newScene, type Scene, stateOf } from './scene.ts'

interface WireCase {
  name: string
  method: 'POST' | 'PUT'
  /** UUID, TOKEN and PLAYER are replaced by the scene's values. */
  body: string
  /** A byte order mark precedes the body. */
  mark?: boolean
  expected: { status: 200 | 400; code?: number; says?: string; balance: string }
}

const CASES: readonly WireCase[] = JSON.parse(readFileSync(new URL('wire-cases.json', import.meta.url), 'utf8'))
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_FREEBET_STAKE: 'promotions' } })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

function bytesOf({ betId, token, userId }: Scene, { body, mark = false }: WireCase): Buffer {
  const text = body.replaceAll('UUID', betId).replaceAll('TOKEN', token).replaceAll('PLAYER', userId)
  return Buffer.concat(mark ? [MARK, Buffer.from(text)] : [Buffer.from(text)])
}

describe('the interface defines the answer to a call with', () => {
  it.each(CASES.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const { method, expected } = one
    const scene = await newScene(wallet)
    if (method === 'PUT') await must(scene, 'place', { amount: 10 })
    const body = bytesOf(scene, one)
    const { status, body: answer, text } = await sendSigned(wallet.url, wallet.secret, { method, body })
    expect([status, (answer as { code?: number }).code]).toEqual([expected.status, expected.code])
    expect(text).toContain(expected.says ?? scene.betId)
    expect(await balanceOf(scene)).toBe(expected.balance)
    expect(await stateOf(scene)).toBe(method === 'PUT' && status === 200 ? 'settled' : 'open')
    if (method === 'PUT') return
    const view = (await betView(scene)).body as { details: object; stakePaidBy: string }
    const { metadata, coefficient } = JSON.parse(body.toString())
    expect(view).toMatchObject({ stakePaidBy: 'player', details: { metadata, coefficient } })
  })
})
