/**
 * A wallet gets far more calls than it can process, on hundreds of connections that each have many
 * waiting calls.
 *
 * Invariant: every call is answered, and only accepted bets are stored. bench/overload measures
 * speed and latency.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { newDatabase, newPlayers, newWallet } from '../support/fault-scene.ts'
import type { Player } from '../support/journal.ts'
import type { WalletProcess } from '../support/wallet.ts'
import { placeMessage, sign } from '../support/wire.ts'

const CONNECTIONS = 400
/**
 * Waiting calls per connection at first. The number doubles until the wallet, however fast, cannot
 * process them all.
 */
const DEPTH = 48
const DEEPEST = 32 * DEPTH
const SECONDS = 6

function nextCall({ secret }: WalletProcess, player: Player): string {
  const body = JSON.stringify(placeMessage({ ...player, transactionId: randomUUID(), amount: 1, metadata: [] }))
  const signature = sign(body, secret)
  return `POST /payment/bet HTTP/1.1\r\nhost: a\r\nx-sign-jws: ${signature}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** Keeps `depth` calls waiting until the time is over; resolves to all statuses. */
async function onConnection(wallet: WalletProcess, player: Player, depth: number, until: number): Promise<string[]> {
  const { hostname, port } = new URL(wallet.url)
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
  let waiting = 0
  const send = (count: number) => {
    socket.write(Array.from({ length: count }, () => nextCall(wallet, player)).join(''))
    waiting += count
  }
  send(depth)
  const statuses: string[] = []
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    const found = [...text.matchAll(/HTTP\/1\.1 (\d+) [^{]*\{[^}]*\}/g)]
    text = text.slice((found.at(-1)?.index ?? 0) + (found.at(-1)?.[0].length ?? 0))
    statuses.push(...found.map(([, status]) => status as string))
    waiting -= found.length
    if (found.length > 0 && performance.now() < until) send(found.length)
    if (waiting === 0) break
  }
  expect(waiting).toBe(0) // more than 0 after a broken connection
  return statuses
}

async function overload(wallet: WalletProcess, players: readonly Player[], depth: number): Promise<string[]> {
  const until = performance.now() + SECONDS * 1_000
  const connections = Array.from({ length: CONNECTIONS }, (_, i) =>
    onConnection(wallet, players[i % players.length] as Player, depth, until),
  )
  return (await Promise.all(connections)).flat()
}

async function storedBets(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select count(*) as count from purser.bet').finally(() => client.end())
  return Number(rows[0].count)
}

test('the wallet answers calls above its capacity, accepts what it can, and stores nothing that it has not accepted', async (context) => {
  const databaseUrl = await newDatabase(context)
  const wallet = await newWallet(context, { databaseUrl })
  const players = await newPlayers(wallet, 100)
  const statuses: string[] = []
  for (let depth = DEPTH; depth <= DEEPEST && !statuses.includes('400'); depth *= 2)
    for (const status of await overload(wallet, players, depth)) statuses.push(status)

  const yes = statuses.filter((status) => status === '200').length
  expect(new Set(statuses)).toEqual(new Set(['200', '400']))
  expect(yes).toBeGreaterThan(0)
  expect((await storedBets(databaseUrl)) - yes).toBeLessThan(statuses.length / 100)
  const metrics = await (await fetch(`${wallet.url}/metrics`)).text()
  expect(Number(/^purser_calls_shed_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0)

  expect((await wallet.wire.place({ ...(players[0] as Player), amount: 1 })).status).toBe(200)
  await wallet.auditIsClean()
})
