/**
 * A call that arrives slowly is answered as failed, because its time starts with its first byte
 * (R-5, W-20). Every server closes the connection of a request that is incomplete 10 s after its
 * first byte.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayScene, newGatewayScene, newPlayer } from '../gateway/scene.ts'
import { lateMs } from '../support/fault-scene.ts'
import type { Player } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Members, placeMessage, settleMessage, sign } from '../support/wire.ts'

let wallet: TestWallet
let gateway: GatewayScene
let platform: TestPlatform
let ann: Player
beforeAll(async () => {
  wallet = await startWallet()
  gateway = await newGatewayScene(1)
  platform = await startPlatform()
  ann = await playerWithMoney(wallet.operator, '100.00')
})
afterAll(async () => {
  await wallet.auditIsClean()
  await Promise.all([wallet.stop(), gateway.stop(), platform.stop()])
})

interface Server {
  readonly url: string
  readonly secret: string
}

function requestOf(method: string, message: Members, secret: string): { head: string; body: string } {
  const body = JSON.stringify(message)
  const signed = `x-sign-jws: ${sign(body, secret)}\r\ncontent-length: ${body.length}\r\n\r\n`
  return { head: `${method} /payment/bet HTTP/1.1\r\nhost: a\r\n${signed}`, body }
}

function open({ url }: Pick<Server, 'url'>): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
  return socket.on('error', () => {})
}

/** Resolves to the received text when it has this number of answers. */
async function answers(socket: Socket, count: number): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.split('HTTP/1.1 ').length > count && text.endsWith('}')) break
  }
  return text
}

const SLOW_MS = 4_300
const slowly = async (socket: Socket, first: string, rest: string) => {
  socket.write(first)
  await sleep(SLOW_MS)
  socket.write(rest)
}

describe.each(['head', 'body'])('a call whose %s takes more than 4 s to arrive', (part) => {
  const cut = ({ head, body }: { head: string; body: string }): [string, string] =>
    part === 'head' ? [head.slice(0, 30), head.slice(30) + body] : [head + body.slice(0, 10), body.slice(10)]

  test('is answered as failed by the wallet and has no effect', async () => {
    const socket = open(wallet)
    const message = placeMessage({ ...ann, amount: 10 })
    await slowly(socket, ...cut(requestOf('POST', message, wallet.secret)))
    expect(await answers(socket, 1)).toMatch(/^HTTP\/1\.1 400 .*"code":100,/s)
    expect(await wallet.operator.balance(ann.userId)).toBe('100.00')
  })

  test('is answered as failed by the gateway and not forwarded', async () => {
    const player = await newPlayer(gateway)
    const receivedBefore = player.operator.wallet.requests.length
    const socket = open(gateway.gateway)
    const { userId, token } = player
    await slowly(socket, ...cut(requestOf('POST', placeMessage({ userId, token }), gateway.gateway.secret)))
    expect(await answers(socket, 1)).toMatch(/^HTTP\/1\.1 400 .*"code":100,/s)
    expect(player.operator.wallet.requests.length).toBe(receivedBefore)
  })
})

test('a User data call that takes more than 4.75 s to arrive is answered as failed', async () => {
  const body = JSON.stringify({ token: ann.token, requestId: 'a-request-id' })
  const head = `POST /user/profile HTTP/1.1\r\nhost: a\r\nx-sign-jws: ${sign(body, wallet.secret)}\r\n`
  const socket = open(wallet)
  socket.write(`${head}content-length: ${body.length}\r\n\r\n`)
  await sleep(4_900)
  socket.write(body)
  expect(await answers(socket, 1)).toMatch(/^HTTP\/1\.1 500 .*"code":100,/s)
})

test('the deadline of a call after a slow one on the same connection begins with its own first byte', async () => {
  const socket = open(wallet)
  const slow = requestOf('POST', placeMessage({ ...ann, amount: 10 }), wallet.secret)
  const bet = { userId: ann.userId, transactionId: 'a-bet-of-its-own' }
  const next = requestOf('POST', placeMessage({ ...ann, ...bet, amount: 1 }), wallet.secret)
  await slowly(socket, slow.head, slow.body + next.head + next.body)
  expect(await answers(socket, 2)).toMatch(/^HTTP\/1\.1 400 .*"code":100,.*HTTP\/1\.1 200 /s)
  const back = requestOf('PUT', settleMessage({ ...bet, amount: 1 }), wallet.secret)
  const other = open(wallet)
  other.write(back.head + back.body)
  expect(await answers(other, 1)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await wallet.operator.balance(ann.userId)).toBe('100.00')
})

const WHOLE_MS = 10_000
/** Servers check once a second. */
const LOOK_MS = 1_000
const STEP_MS = 500

/**
 * Milliseconds from the first byte until the server closed the connection, while more bytes arrive.
 */
async function heldMs(server: Pick<Server, 'url'>, first: string, more: string): Promise<number> {
  const socket = open(server)
  const isClosed = new Promise((resolve) => socket.once('close', resolve))
  socket.resume().write(first)
  const startedAt = performance.now()
  const trickle = setInterval(() => socket.write(more), STEP_MS)
  await isClosed
  clearInterval(trickle)
  return performance.now() - startedAt
}

test('the server closes the connection of a request that is incomplete 10 s after its first byte, however steadily it arrives', async () => {
  const body = 'POST /payment/bet HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{'
  const head = 'POST /payment/bet HTTP/1.1\r\nhost: '
  const servers = [wallet, gateway.gateway, platform]
  const held = servers.flatMap((server) => [heldMs(server, body, ' '), heldMs(server, head, 'a')])
  for (const milliseconds of await Promise.all(held)) {
    expect(milliseconds).toBeGreaterThan(WHOLE_MS - LOOK_MS)
    expect(milliseconds).toBeLessThan(WHOLE_MS + 2 * LOOK_MS + lateMs())
  }
})
