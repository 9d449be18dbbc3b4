/** A wallet that restarts is no error: callers wait until it accepts connections again. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createWalletWatch, type WalletWatch } from '../../../src/sandbox/dev/wallet-watch.ts'

let server: Server | undefined
let watch: WalletWatch | undefined
afterEach(() => {
  watch?.stop()
  server?.close()
})

async function listen(port = 0): Promise<number> {
  server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('the watch reports a wallet that goes and comes back, once each', async () => {
  const port = await listen()
  const notes: string[] = []
  watch = createWalletWatch({ url: `http://127.0.0.1:${port}/api`, note: (sentence) => void notes.push(sentence) })
  await watch.requireUp(0, new AbortController().signal)
  expect(notes).toEqual([])
  server?.close()
  await once(server as Server, 'close')
  watch.reportUnreachable('connection refused')
  watch.reportUnreachable('connection refused')
  expect(watch.isUp()).toBe(false)
  const up = watch.whenUp()
  await listen(port)
  await up
  expect(watch.isUp()).toBe(true)
  expect(notes).toEqual([
    `The wallet at http://127.0.0.1:${port}/api accepts no connections (connection refused). Waiting for it …`,
    expect.stringMatching(/^The wallet is back after \d+ s\.$/),
  ])
})

test('the watch gives a wallet up that stays away longer than the limit', async () => {
  watch = createWalletWatch({ url: 'http://127.0.0.1:1', note: () => {} })
  await expect(watch.requireUp(10, new AbortController().signal)).rejects.toThrow(
    'the wallet at http://127.0.0.1:1 accepted no connection for 0.01 s',
  )
})
