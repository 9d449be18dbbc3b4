/**
 * `purser dev --platform` is a wallet for the developer of a platform, with verdicts on its
 * calls.
 */
import { randomUUID } from 'node:crypto'
import { buildSignedRequest } from '@purser/conformance/wallet/case/signed-request'
import { placeStep, rollbackStep } from '@purser/conformance/wallet/case/step-builders'
import type { CallStep } from '@purser/conformance/wallet/case/wallet-case'
import { expect, test } from 'vitest'
import { runPlatformSide } from '../../../src/sandbox/dev/platform-side.ts'

const SECRET = 'the-secret-of-a-new-platform'

test('the wallet for a platform judges the form of each call that comes in', async () => {
  let text = ''
  let check = () => {}
  const write = (part: string) => {
    text += part
    check()
  }
  const stopping = new AbortController()
  const ended = runPlatformSide(
    { secret: SECRET, duration: 0, port: 0, keep: undefined, isJson: false },
    { output: { write }, noColour: true, env: {}, signal: stopping.signal, isInteractive: false },
  )
  await new Promise<void>((resolve) => {
    check = () => /player bob[\s\S]*token is\s\S+/.test(text) && resolve()
  })
  const url = /The wallet is at (\S+)/.exec(text)?.[1] ?? ''
  const token = /player alice[\s\S]*?token\s+is\s+(\S+)/.exec(text)?.[1] ?? ''
  const betId = randomUUID()
  const send = async (step: CallStep, path?: string) => {
    const account = { currency: 'EUR', scale: 2 }
    const parts = {
      requestId: randomUUID(),
      betId,
      userId: 'alice',
      operatorUser: undefined,
      token,
      account,
      amount: '10',
    }
    const { method, body, headers, ...planned } = buildSignedRequest(step, parts, SECRET)
    return (await fetch(url + (path ?? planned.path), { method, body, headers })).status
  }
  expect(await send(placeStep())).toBe(200)
  expect(await send(rollbackStep({ members: { errorCode: 7 } }))).toBe(200)
  expect(await send(placeStep({ signature: 'wrong secret' }))).toBe(400)
  await send(placeStep(), '/payment/bets')
  stopping.abort()
  expect(await ended).toBe(1)
  expect(text).toMatch(/Place bet .* 10\.00 EUR → 200 .* right: The call follows the interface/)
  expect(text).toMatch(/Rollback .* wrong: .*errorCode 7 is not listed/)
  expect(text).toMatch(/Place bet .*→ 400 code 1 .* wrong: .*does not sign these bytes/)
  expect(text).toMatch(/POST \/payment\/bets is no call of the interface/)
  expect(text).toMatch(/3 calls: 1 right, 2 wrong\.[\s\S]*purser-conformance platform/)
})
