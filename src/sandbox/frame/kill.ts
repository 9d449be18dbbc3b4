/**
 * The wallet that dies: a process of its own on a folder of its own, killed with kill -9 while a bet is open, and started again. The demo's own wallet
 * shares its process with the platform, so it cannot be killed alone.
 */
import { spawn } from 'node:child_process'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, createApi } from '../api.ts'
import { loadFrame } from '../load-frame.ts'
import type { Stand } from './frame.ts'
import type { Caption } from './troubles.ts'

const PLAYER = 'casey'
const LOOK_MS = 100
/** Milliseconds for one start, on a machine that has other things to do. */
const START_MS = 60_000
/** Milliseconds until the platform has found nobody. */
const MISS_MS = 20_000
/** Milliseconds until it has tried again: the longer the wallet was away, the longer is the gap between two tries, up to a minute (C-5). */
const TOLD_MS = 90_000
/** No system gives these ports to outgoing connections, or to whoever asks for any: ours is free again when the wallet comes back. */
const PORTS = [20_000, 30_000] as const
/** Ports that are tried. */
const MOST_TRIED = 100

interface Mortal {
  readonly api: Api
  readonly secret: string
  start(): Promise<void>
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>
}

export async function killWallet(stand: Stand): Promise<Caption> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-demo-'))
  const wallet = await createMortal(folder)
  try {
    return await scene(stand, wallet)
  } finally {
    await wallet.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

async function scene(stand: Stand, wallet: Mortal): Promise<Caption> {
  await wallet.start()
  const frameSessionId = await enter(stand.platform, wallet)
  const { betId, matchId } = await place(stand, frameSessionId)
  const before = await balance(wallet)
  await wallet.kill()
  await stand.matches.result(matchId, 'home')
  await missed(stand.platform, betId)
  await wallet.start()
  const kept = await balanceWithoutPayout(wallet)
  await told(stand.platform, betId)
  const { status, payouts } = await lookUp(wallet, betId)
  const { ok } = await wallet.api.get<{ ok: boolean }>('GET', '/operator/audit')
  return {
    title: 'Kill the wallet',
    story:
      'A second wallet, a process of its own (the one above shares the platform’s), was killed with kill -9 while a bet of 10.00 was open. Its result was decided meanwhile: the platform found nobody, and tried again until the wallet was back. All that the wallet had answered was in its books, and the payout was booked once. Its calls went to that other wallet, so they are not among those on the wire above: its story has each of them, as the platform made it.',
    money: `The balance was ${before} before the kill and ${kept} after the start; with the payout it is ${await balance(wallet)}. The wallet's audit finds ${ok ? 'nothing' : 'something'}.`,
    isAsDemanded: before === '90.00' && kept === before && status === 'settled' && payouts === 1 && ok,
    betIds: [betId],
  }
}

async function createMortal(folder: string): Promise<Mortal> {
  const [secret, key] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')]
  const port = await freePort()
  const api = createApi(`http://127.0.0.1:${port}`, key)
  const env = {
    ...{ PATH: process.env.PATH, HOST: '127.0.0.1', PORT: `${port}`, LOG_LEVEL: 'silent' },
    ...{ PURSER_DATA_DIR: join(folder, 'data'), PARTNER_SECRET: secret, OPERATOR_API_KEY: key },
  }
  let kill = async () => {}
  return {
    ...{ api, secret },
    async start() {
      const child = spawn(process.execPath, [process.argv[1] ?? '', 'wallet'], { env, stdio: 'ignore', cwd: folder })
      const end = () => void child.kill('SIGKILL')
      process.once('exit', end) // it never outlives the sandbox
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      kill = async () => {
        end()
        await gone
        process.off('exit', end)
      }
      await until(START_MS, 'the wallet is ready', () => fetch(`${api.url}/readyz`).then(({ ok }) => ok))
    },
    kill: () => kill(),
  }
}

async function freePort(): Promise<number> {
  for (let i = 0; i < MOST_TRIED; i++) {
    const port = randomInt(...PORTS)
    if (await isFree(port)) return port
  }
  throw new Error('no port is free')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Throws when it does not come about in time. */
async function until(ms: number, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + ms
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`not within ${ms / 1_000} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** A partner, a player with 100.00, and a frame loaded for the player. */
async function enter(platform: Api, { api, secret }: Mortal): Promise<string> {
  const partnerId = `mortal-${randomUUID().slice(0, 8)}`
  await api.get('POST', '/operator/players', { userId: PLAYER, currency: 'EUR' })
  const money = { currency: 'EUR', amount: '100.00', reference: 'welcome' }
  await api.get('POST', `/operator/players/${PLAYER}/deposits`, money)
  const { token } = await api.get<{ token: string }>('POST', `/operator/players/${PLAYER}/sessions`, {})
  await platform.get('POST', '/partners', { partnerId, baseUrl: api.url, secret })
  return loadFrame(platform, partnerId, token)
}

/** On a match of its own, whose result decides nobody else's bet. */
function place({ platform, matches }: Stand, frameSessionId: string): Promise<{ betId: string; matchId: string }> {
  return matches.still(async () => {
    const match = await matches.own()
    const described = { discipline: 'Football', event: `${match.home} – ${match.away}`, market: 'Match winner' }
    const pick = { eventId: match.id, outcomeId: 'home', coefficient: match.odds.home, outcome: match.home }
    const wanted = { frameSessionId, amount: '10.00', selections: [{ ...pick, ...described }] }
    const { betId } = await platform.get<{ betId: string }>('POST', '/bets', {
      ...{ ...wanted, idempotencyKey: randomUUID() },
    })
    return { betId, matchId: match.id }
  })
}

function missed(platform: Api, betId: string): Promise<void> {
  return until(MISS_MS, 'the platform has tried', async () =>
    (await settles(platform, betId)).some(({ attempts }) => attempts > 0),
  )
}

function told(platform: Api, betId: string): Promise<void> {
  return until(TOLD_MS, 'the platform has told the result', async () =>
    (await settles(platform, betId)).every(({ status }) => status !== 'pending' && status !== 'waiting'),
  )
}

interface Delivery {
  readonly operation: string
  readonly status: string
  readonly attempts: number
}

async function settles(platform: Api, betId: string): Promise<Delivery[]> {
  const { deliveries } = await platform.get<{ deliveries: Delivery[] }>('GET', `/bets/${betId}`)
  return deliveries.filter(({ operation }) => operation === 'settle')
}

/** After the last movement but the payout: that may come as soon as the wallet listens. */
async function balanceWithoutPayout({ api }: Mortal): Promise<string | undefined> {
  const { data } = await api.get<{ data: { kind: string; balance: string }[] }>(
    'GET',
    `/operator/players/${PLAYER}/statement`,
  )
  return data.find(({ kind }) => kind !== 'payout')?.balance
}

async function balance({ api }: Mortal): Promise<string> {
  const path = `/operator/players/${PLAYER}/balances`
  const { balances } = await api.get<{ balances: { amount: string }[] }>('GET', path)
  return balances[0]?.amount ?? ''
}

async function lookUp({ api }: Mortal, betId: string): Promise<{ status: string; payouts: number }> {
  const path = `/operator/players/${PLAYER}/bets/${betId}`
  const { status, history } = await api.get<{
    status: string
    history: { transfers: { kind: string }[] }[]
  }>('GET', path)
  const kinds = history.flatMap(({ transfers }) => transfers).map(({ kind }) => kind)
  return { status, payouts: kinds.filter((kind) => kind === 'payout').length }
}
