/**
 * Crash of a wallet: a second wallet process with its own folder is killed with kill -9 while a bet
 * is open, and restarted. The demo's own wallet shares its process with the platform, so it cannot
 * be killed alone.
 */
import { spawn } from 'node:child_process'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BearerClient, createBearerClient } from '../bearer-client.ts'
import { requestFrameSession } from '../bettors/frame-session-request.ts'
import type { FaultScenarioContext } from './demo-frame.ts'
import type { Caption } from './fault-scenarios.ts'

const PLAYER = 'casey'
const POLL_MS = 100
/** For one start on a busy machine. */
const START_MS = 60_000
/** For the platform's first failed attempt. */
const FIRST_ATTEMPT_MS = 20_000
/** For the next attempt; the gap grows with the outage, up to a minute (C-5). */
const RESULT_DELIVERY_MS = 90_000
/**
 * Outgoing connections and requests for any port do not get these ports, so the port is still free
 * at the restart.
 */
const PORTS = [20_000, 30_000] as const
const MAX_PORTS_TRIED = 100

interface KillableWallet {
  readonly api: BearerClient
  readonly secret: string
  start(): Promise<void>
  /** Kills with kill -9; resolves when the process has ended. */
  kill(): Promise<void>
}

export async function killWallet(context: FaultScenarioContext): Promise<Caption> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-demo-'))
  const wallet = await createKillableWallet(folder)
  try {
    return await runCrash(context, wallet)
  } finally {
    await wallet.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

async function runCrash(context: FaultScenarioContext, wallet: KillableWallet): Promise<Caption> {
  await wallet.start()
  const frameSessionId = await enterPlayer(context.platform, wallet)
  const { betId, matchId } = await placeOnOwnMatch(context, frameSessionId)
  const before = await readBalance(wallet)
  await wallet.kill()
  await context.matches.result(matchId, 'home')
  await awaitFailedAttempt(context.platform, betId)
  await wallet.start()
  const afterStart = await readBalanceWithoutPayout(wallet)
  await awaitResultDelivery(context.platform, betId)
  const { status, payouts } = await readWalletBet(wallet, betId)
  const { ok } = await wallet.api.fetchJson<{ ok: boolean }>('GET', '/operator/audit')
  return {
    title: 'Kill the wallet',
    story:
      'A second wallet, in its own process, was killed with kill -9 while a bet of 10.00 was open. The result came in the meantime, and the platform retried the Settle until the wallet was back. The ledger contained every call that the wallet had acknowledged, and the payout was made once. The list above does not contain the calls of the second wallet; the timeline of the bet does.',
    money: `The balance was ${before} before the kill and ${afterStart} after the start. With the payout it is ${await readBalance(wallet)}. The audit of the wallet ${ok ? 'passed' : 'failed'}.`,
    isAsDemanded: before === '90.00' && afterStart === before && status === 'settled' && payouts === 1 && ok,
    betIds: [betId],
  }
}

async function createKillableWallet(folder: string): Promise<KillableWallet> {
  const [secret, key] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')]
  const port = await findFreePort()
  const api = createBearerClient(`http://127.0.0.1:${port}`, key)
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
      process.once('exit', end) // the wallet must not outlive the sandbox
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      kill = async () => {
        end()
        await gone
        process.off('exit', end)
      }
      await pollUntil(START_MS, 'the wallet is ready', () => fetch(`${api.url}/readyz`).then(({ ok }) => ok))
    },
    kill: () => kill(),
  }
}

async function findFreePort(): Promise<number> {
  for (let i = 0; i < MAX_PORTS_TRIED; i++) {
    const port = randomInt(...PORTS)
    if (await isPortFree(port)) return port
  }
  throw new Error('no port is free')
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Throws after the time. */
async function pollUntil(ms: number, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + ms
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`not within ${ms / 1_000} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Creates a partner, a player with 100.00, and a frame session. */
async function enterPlayer(platform: BearerClient, { api, secret }: KillableWallet): Promise<string> {
  const partnerId = `mortal-${randomUUID().slice(0, 8)}`
  await api.fetchJson('POST', '/operator/players', { userId: PLAYER, currency: 'EUR' })
  const money = { currency: 'EUR', amount: '100.00', reference: 'welcome' }
  await api.fetchJson('POST', `/operator/players/${PLAYER}/deposits`, money)
  const { token } = await api.fetchJson<{ token: string }>('POST', `/operator/players/${PLAYER}/sessions`, {})
  await platform.fetchJson('POST', '/partners', { partnerId, baseUrl: api.url, secret })
  return requestFrameSession(platform, partnerId, token)
}

/** Uses a match without other bets, so that its result decides no other bet. */
function placeOnOwnMatch(
  { platform, matches }: FaultScenarioContext,
  frameSessionId: string,
): Promise<{ betId: string; matchId: string }> {
  return matches.withFrozenOdds(async () => {
    const match = await matches.createOwnMatch()
    const described = { discipline: 'Football', event: `${match.home} – ${match.away}`, market: 'Match winner' }
    const pick = { eventId: match.id, outcomeId: 'home', coefficient: match.odds.home, outcome: match.home }
    const body = { frameSessionId, amount: '10.00', selections: [{ ...pick, ...described }] }
    const { betId } = await platform.fetchJson<{ betId: string }>('POST', '/bets', {
      ...{ ...body, idempotencyKey: randomUUID() },
    })
    return { betId, matchId: match.id }
  })
}

function awaitFailedAttempt(platform: BearerClient, betId: string): Promise<void> {
  return pollUntil(FIRST_ATTEMPT_MS, 'the platform has tried', async () =>
    (await readSettleDeliveries(platform, betId)).some(({ attempts }) => attempts > 0),
  )
}

function awaitResultDelivery(platform: BearerClient, betId: string): Promise<void> {
  return pollUntil(RESULT_DELIVERY_MS, 'the platform has delivered the result', async () =>
    (await readSettleDeliveries(platform, betId)).every(({ status }) => status !== 'pending' && status !== 'waiting'),
  )
}

interface DeliveryView {
  readonly operation: string
  readonly status: string
  readonly attempts: number
}

async function readSettleDeliveries(platform: BearerClient, betId: string): Promise<DeliveryView[]> {
  const { deliveries } = await platform.fetchJson<{ deliveries: DeliveryView[] }>('GET', `/bets/${betId}`)
  return deliveries.filter(({ operation }) => operation === 'settle')
}

/**
 * Balance after the last transfer before the payout, which may arrive as soon as the wallet
 * listens.
 */
async function readBalanceWithoutPayout({ api }: KillableWallet): Promise<string | undefined> {
  const { data } = await api.fetchJson<{ data: { kind: string; balance: string }[] }>(
    'GET',
    `/operator/players/${PLAYER}/statement`,
  )
  return data.find(({ kind }) => kind !== 'payout')?.balance
}

async function readBalance({ api }: KillableWallet): Promise<string> {
  const path = `/operator/players/${PLAYER}/balances`
  const { balances } = await api.fetchJson<{ balances: { amount: string }[] }>('GET', path)
  return balances[0]?.amount ?? ''
}

async function readWalletBet({ api }: KillableWallet, betId: string): Promise<{ status: string; payouts: number }> {
  const path = `/operator/players/${PLAYER}/bets/${betId}`
  const { status, history } = await api.fetchJson<{
    status: string
    history: { transfers: { kind: string }[] }[]
  }>('GET', path)
  const kinds = history.flatMap(({ transfers }) => transfers).map(({ kind }) => kind)
  return { status, payouts: kinds.filter((kind) => kind === 'payout').length }
}
