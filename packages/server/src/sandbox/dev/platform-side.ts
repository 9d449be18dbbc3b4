/**
 * `purser dev --platform`: a wallet with players and tokens, for the developer of a platform. Each
 * call passes a proxy, and gets a verdict on its form.
 */
import { randomBytes } from 'node:crypto'
import { createRequestJudge } from '@purser/conformance/platform/play/request-judge'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { createRandom } from '@purser/runtime/seeded-random'
import { PROCESS_ROLES, readConfig } from '../../core/config/config.ts'
import { serveWallet } from '../../servers/wallet-server.ts'
import { createBearerClient } from '../bearer-client.ts'
import { sleepUntil } from '../bettors/abortable-wait.ts'
import { type CallInterceptor, startFaultProxy } from '../wire/fault-proxy.ts'
import { createLiveCallLog, joinListeners } from '../wire/live-call-log.ts'
import type { PlatformSideOptions } from './dev-options.ts'
import type { DevDeps } from './dev-run.ts'
import { createCallCounts } from './terminal/call-counts.ts'
import { createDevTerminal } from './terminal/dev-terminal.ts'

const PLAYERS = [
  { userId: 'alice', currency: 'EUR' },
  { userId: 'bob', currency: 'USD' },
] as const
const START_AMOUNT = '1000.00'
/** Seconds. */
const SESSION_TTL = 2_592_000
const MS_PER_SECOND = 1_000

/** Resolves to the exit code. */
export async function runPlatformSide(options: PlatformSideOptions, deps: DevDeps): Promise<number> {
  const { secret, duration, port, keep, isJson } = options
  const { env, signal } = deps
  const terminal = createDevTerminal({ ...deps, isJson })
  const config = readConfig(
    {
      ...{ HOST: '127.0.0.1', PORT: '0', PURSER_DATA_DIR: keep ?? 'memory://', PARTNER_SECRET: secret },
      ...{ OPERATOR_API_KEY: randomBytes(24).toString('base64url'), LOG_LEVEL: env.LOG_LEVEL ?? 'silent' },
      ...{ PURSER_CURRENCIES: env.PURSER_CURRENCIES },
    },
    PROCESS_ROLES.wallet,
  )
  const wallet = await serveWallet(config)
  const random = createRandom(0, 'platform')
  const network = await startFaultProxy({ walletUrl: wallet.url, fraction: 0, random, port })
  try {
    const players = await createPlayers(wallet.url, config.operatorKey)
    const known = new Map(players.map((player) => [player.token, player]))
    const judge = createRequestJudge({ partnerId: 'dev', baseUrl: wallet.url, secret, players: known })
    const findPlayer = ({ userId }: Readonly<Record<string, unknown>>) => (typeof userId === 'string' ? userId : '')
    const counts = createCallCounts()
    const listener = joinListeners([counts.listener, terminal.listener])
    const callLog = createLiveCallLog({ judge, findPlayer, listener })
    network.setInterceptor(reportOtherCalls(callLog, terminal.note))
    for (const line of describeWallet(network.url, secret, players)) terminal.note(line)
    await sleepUntil(duration === 0 ? Number.POSITIVE_INFINITY : Date.now() + duration * MS_PER_SECOND, signal)
    const sum = judge.sum()
    terminal.sum(sum, { ...counts.read(), hasBalances: true }, CERTIFY)
    return sum.wrong > 0 ? EXIT_CODES.findings : 0
  } finally {
    await network.close()
    await wallet.close()
  }
}

const CERTIFY = [
  'The conformance kit certifies the platform:',
  '  npx purser-conformance platform --listen 9000 --drive ./drive.sh',
]

interface WalletPlayer {
  readonly userId: string
  readonly currency: string
  readonly token: string
}

async function createPlayers(url: string, operatorKey: string): Promise<WalletPlayer[]> {
  const operator = createBearerClient(url, operatorKey)
  return Promise.all(
    PLAYERS.map(async (player) => {
      const { userId, currency } = player
      const path = `/operator/players/${userId}`
      await operator.fetchJson('POST', '/operator/players', player, [409])
      await operator.fetchJson('POST', `${path}/deposits`, { currency, amount: START_AMOUNT, reference: 'dev-welcome' })
      const session = { ttlSeconds: SESSION_TTL }
      const { token } = await operator.fetchJson<{ token: string }>('POST', `${path}/sessions`, session)
      return { ...player, token }
    }),
  )
}

/** A call that the interface does not have is usually a wrong path, method or type. */
function reportOtherCalls(callLog: CallInterceptor, note: (sentence: string) => void): CallInterceptor {
  return {
    intercept(call, draw) {
      const known = callLog.intercept(call, draw)
      if (known !== undefined) return known
      note(`${call.method} ${call.path} is no call of the interface: compare the path, the method and the type.`)
      return undefined
    },
  }
}

function describeWallet(url: string, secret: string, players: readonly WalletPlayer[]): string[] {
  return [
    `The wallet is at ${url}`,
    `The secret is ${secret}`,
    ...players.map(
      ({ userId, currency, token }) => `The player ${userId} has ${START_AMOUNT} ${currency}. The token is ${token}`,
    ),
  ]
}
