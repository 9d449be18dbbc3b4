/**
 * When a wallet is stopped, it answers its accepted calls, closes the connections, and exits before
 * an orchestrator kills it. Callers that leave connections open do not delay it.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent, request } from 'undici'
import { describe, expect, test } from 'vitest'
import { exitOf, type Finishing, newDatabase, newNetwork, newWallet, untilClosed } from '../support/fault-scene.ts'
import { playerWithMoney } from '../support/operator.ts'
import { until } from '../support/server-settings.ts'
import type { WalletProcess } from '../support/wallet.ts'
import { type Members, placeMessage, sign } from '../support/wire.ts'

const BETTORS = 10

async function onlyWallet(context: Finishing): Promise<WalletProcess> {
  return newWallet(context, { databaseUrl: await newDatabase(context) })
}

async function halfSent(wallet: WalletProcess, beginning: string): Promise<Socket> {
  const { hostname, port } = new URL(wallet.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // the wallet may close the connection
  await once(socket, 'connect')
  socket.write(beginning)
  await fetch(`${wallet.url}/healthz`) // a later request, so the earlier bytes have been read
  return socket
}

const HALF_A_HEAD = 'GET /readyz HTTP/1.1\r\nhost: wallet\r\n'
const HALF_A_BODY = 'POST /payment/bet HTTP/1.1\r\nhost: wallet\r\ncontent-length: 500\r\n\r\n{"requestId":'

interface SentBet {
  status: number
  isLast: boolean
}

interface BetReply extends SentBet {
  body: string
}

/** Uses a new connection. */
async function askOnce(url: string, options: Parameters<typeof request>[1] = {}): Promise<BetReply> {
  const agent = new Agent({ connections: 1 })
  const reply = await request(url, { ...options, dispatcher: agent })
  const body = await reply.body.text()
  await agent.close()
  return { status: reply.statusCode, isLast: reply.headers.connection === 'close', body }
}

interface Bettor {
  sent: number
  readonly answers: SentBet[]
}

/**
 * Resolves when each bettor has an unanswered call and the wallet has read these calls: a later
 * request was answered, and no other answer arrives.
 */
function untilAllWait(wallet: WalletProcess, bettors: readonly Bettor[]): Promise<void> {
  const answered = () => bettors.reduce((sum, { answers }) => sum + answers.length, 0)
  return until(async () => {
    const before = answered()
    await fetch(`${wallet.url}/healthz`)
    return answered() === before && bettors.every(({ sent, answers }) => sent > answers.length)
  })
}

/** Bets on a platform's connection until it is stopped or rejected. */
async function keepBetting(agent: Agent, wallet: WalletProcess, player: Members, bettor: Bettor): Promise<void> {
  for (;;) {
    const body = JSON.stringify(placeMessage({ ...player, amount: 1 }))
    const options = { method: 'POST', headers: { 'x-sign-jws': sign(body, wallet.secret) }, body, dispatcher: agent }
    bettor.sent++
    const reply = await request(`${wallet.url}/payment/bet`, options as Parameters<typeof request>[1]).catch(
      () => undefined,
    )
    if (reply === undefined) return
    await reply.body.text()
    bettor.answers.push({ status: reply.statusCode, isLast: reply.headers.connection === 'close' })
  }
}

describe.concurrent('a wallet that stops', () => {
  test.for([
    ['nothing sent', ''],
    ['half a head sent', HALF_A_HEAD],
    ['half a body sent', HALF_A_BODY],
  ])('does not wait for a connection with %s', async ([, beginning = ''], context) => {
    const wallet = await onlyWallet(context)
    await halfSent(wallet, beginning)
    expect(await exitOf(wallet, 'SIGTERM')).toBe(0)
  })

  test('ends at once on a second signal', async (context) => {
    const wallet = await onlyWallet(context)
    await halfSent(wallet, HALF_A_BODY)
    const ended = exitOf(wallet, 'SIGTERM')
    await untilClosed(wallet)
    process.kill(wallet.pid, 'SIGTERM')
    expect(await ended).toBe(143) // 0 if it had waited for the rest of the body
  })

  test('reports that it is not ready while it drains, and accepts no new connection', async (context) => {
    const wallet = await onlyWallet(context)
    const asked = await halfSent(wallet, HALF_A_HEAD)
    const ended = exitOf(wallet, 'SIGTERM')
    await untilClosed(wallet)
    await expect(fetch(`${wallet.url}/readyz`)).rejects.toThrow('fetch failed')
    asked.write('\r\n')
    const answer = await text(asked)
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(answer).toContain('{"status":"draining"}')
    expect(await ended).toBe(0)
  })

  test.for([
    ['one process', '1'],
    ['several processes', '2'],
  ])(
    'drains first when configured, with %s: it is not ready, serves new connections and closes each',
    async ([, processes = ''], context) => {
      const databaseUrl = await newDatabase(context)
      const env = { PURSER_DRAIN_SECONDS: '4', PURSER_PROCESSES: processes }
      const wallet = await newWallet(context, { databaseUrl, env })
      const player = await playerWithMoney(wallet.operator, '100.00')
      const idle = await halfSent(wallet, `${HALF_A_HEAD}\r\n`)
      const ended = wallet.kill('SIGTERM')
      const answers: BetReply[] = []
      await until(async () => {
        answers.push(await askOnce(`${wallet.url}/readyz`))
        return answers.at(-1)?.status === 503
      })
      expect(answers.at(-1)).toEqual({ status: 503, isLast: true, body: '{"status":"draining"}' })
      const bet = JSON.stringify(placeMessage({ ...player, amount: 1 }))
      const signed = { method: 'POST', headers: { 'x-sign-jws': sign(bet, wallet.secret) }, body: bet } as const
      expect(await askOnce(`${wallet.url}/payment/bet`, signed)).toMatchObject({ status: 200 })
      idle.write(`${HALF_A_HEAD}\r\n`)
      expect(await text(idle)).toMatch(/"ready"[\s\S]*^connection: close\r$[\s\S]*"draining"/im)
      expect(await ended).toBe(0)
    },
  )

  test('answers every accepted call under load, and closes the connections afterwards', async (context) => {
    const network = await newNetwork(context, await newDatabase(context))
    const wallet = await newWallet(context, { databaseUrl: network.url })
    const player = await playerWithMoney(wallet.operator, '10000.00')
    const agent = new Agent({ connections: BETTORS, keepAliveTimeout: 60_000 })
    const bettors = Array.from({ length: BETTORS }, (): Bettor => ({ sent: 0, answers: [] }))
    const betting = Promise.all(bettors.map((bettor) => keepBetting(agent, wallet, player, bettor)))
    await context.expect.poll(() => Math.min(...bettors.map(({ sent }) => sent))).toBeGreaterThan(2)
    // Each bettor has one call in progress at the signal, and its answer is delayed until later.
    network.silence()
    await untilAllWait(wallet, bettors)
    const ended = exitOf(wallet, 'SIGTERM')
    await untilClosed(wallet)
    network.resume()
    await betting
    expect(await ended).toBe(0)

    const ofEach = bettors.map(({ answers }) => answers)
    const answers = ofEach.flat()
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(ofEach.map((its) => its.findIndex(({ isLast }) => isLast))).toEqual(ofEach.map((its) => its.length - 1))
    const next = await newWallet(context, { databaseUrl: network.url })
    expect(await next.operator.balance(player.userId)).toBe(`${10_000 - answers.length}.00`)
    await next.auditIsClean()
  })
})
