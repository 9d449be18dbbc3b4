/**
 * The wallet gets more calls than it or its database can process. A Place bet that cannot start in
 * time is rejected in time and never applied. Every other call can be repeated, and the
 * queue has a limit.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { latestAnswerMs, newDatabase, newNetwork, newPlayers, newWallet, queueDepth } from '../support/fault-scene.ts'
import type { Player } from '../support/journal.ts'
import type { WalletProcess } from '../support/wallet.ts'
import { placeMessage, replyCode, rollbackMessage, settleMessage, sign, type WireReply } from '../support/wire.ts'

/** A lock from outside, as by a migration or a backup. The end of the connection releases it. */
async function lockTable(databaseUrl: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('lock table purser.transfer in exclusive mode')
  return () => client.end()
}

async function timed(sending: Promise<WireReply>) {
  const start = performance.now()
  const reply = await sending
  return { status: reply.status, code: replyCode(reply), ms: performance.now() - start }
}

const MAX_WAITING = 4_000
const MAX_BATCH = 256
const TOO_MANY = 5_000
const CONNECTIONS = 50

/**
 * Sends one call many times on one connection without waiting, which is faster than one connection
 * per call.
 */
async function sendAtOnce(wallet: WalletProcess, body: string, times: number): Promise<string> {
  const { hostname, port } = new URL(wallet.url)
  const socket = connect(Number(port), hostname)
  const head = `POST /payment/bet HTTP/1.1\r\nhost: wallet\r\nx-sign-jws: ${sign(body, wallet.secret)}\r\n`
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`.repeat(times))
  const answers: string[] = []
  let awaited = times
  for await (const chunk of socket.setEncoding('utf8')) {
    answers.push(chunk)
    awaited -= countOf(chunk, '"code":')
    if (awaited <= 0) break
  }
  return answers.join('')
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

/** The highest number of calls that waited or were being applied, from the metrics. */
async function highestDepth(wallet: WalletProcess, until: Promise<unknown>): Promise<number> {
  let highest = 0
  let isOver = false
  const over = () => {
    isOver = true
  }
  until.then(over, over)
  while (!isOver) {
    highest = Math.max(highest, await queueDepth(wallet))
    await sleep(20)
  }
  return highest
}

describe('a wallet under overload', () => {
  test('refuses in time bets that could not start within 4 s and never applies them, and all other calls can be repeated', async (context) => {
    const databaseUrl = await newDatabase(context)
    const wallet = await newWallet(context, { databaseUrl })
    const players = await newPlayers(wallet, 40, 1_000)
    const placed = players.flatMap((player) =>
      [1, 2].map(() => ({ ...player, transactionId: randomUUID(), amount: 10 })),
    )
    expect((await Promise.all(placed.map(wallet.wire.place))).every(({ status }) => status === 200)).toBe(true)
    const changes = placed.map(({ token: _, amount: __, ...bet }, number) =>
      number % 2 === 0 ? settleMessage({ ...bet, amount: 25 }) : rollbackMessage(bet),
    )
    const change = () => Promise.all(changes.map((message) => timed(wallet.wire.call('PUT', '/payment/bet', message))))

    const release = await lockTable(databaseUrl)
    const lockedAt = performance.now()
    const bets = players.flatMap((player) => [1, 2, 3, 4, 5].map(() => ({ ...player, transactionId: randomUUID() })))
    const refusing = Promise.all(bets.map((bet) => timed(wallet.wire.place({ ...bet, amount: 1 }))))
    const [refused, failed] = await Promise.all([refusing, change()])
    await sleep(Math.max(0, lockedAt + 4_500 - performance.now()))
    await release()
    expect(refused.filter(({ status, code, ms }) => status !== 400 || code !== 100 || ms > latestAnswerMs())).toEqual(
      [],
    )
    expect(failed.filter(({ status, code }) => status !== 500 || code !== 100)).toEqual([])

    // Anything that still waited for the lock would now be applied after all.
    await sleep(1_000)
    for (const { userId } of players) expect(await wallet.operator.balance(userId)).toBe('980.00')
    expect((await change()).filter(({ status }) => status !== 200)).toEqual([])
    // + 25, + 10
    for (const { userId } of players) expect(await wallet.operator.balance(userId)).toBe('1015.00')
    const lookup = bets.map(({ userId, transactionId }) =>
      wallet.operator.request('GET', `/operator/players/${userId}/bets/${transactionId}`),
    )
    expect((await Promise.all(lookup)).filter(({ status }) => status !== 404)).toEqual([])
    await wallet.auditIsClean()
  })

  test('with a silent database keeps excess calls outside of its memory and fails them in time', async (context) => {
    const network = await newNetwork(context, await newDatabase(context))
    const wallet = await newWallet(context, { databaseUrl: network.url })
    const [player] = (await newPlayers(wallet, 1, 1_000)) as [Player]
    network.silence()
    const body = JSON.stringify(placeMessage({ ...player, amount: 1, metadata: [] }))
    const calls = Array.from({ length: CONNECTIONS }, () => sendAtOnce(wallet, body, TOO_MANY / CONNECTIONS))
    const [all, highest] = await Promise.all([Promise.all(calls), highestDepth(wallet, Promise.all(calls))])
    expect(highest).toBeGreaterThan(MAX_BATCH)
    expect(highest).toBeLessThanOrEqual(MAX_WAITING + MAX_BATCH)
    const answers = all.join('')
    expect(countOf(answers, 'HTTP/1.1 400 ')).toBe(TOO_MANY)
    expect(countOf(answers, '"code":100,')).toBe(TOO_MANY)
    network.resume()
    await context.expect.poll(async () => (await wallet.wire.place({ ...player, amount: 1 })).status).toBe(200)
    expect(await wallet.operator.balance(player.userId)).toBe('999.00')
    await wallet.auditIsClean()
  })
})
