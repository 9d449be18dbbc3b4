/**
 * Servers of `purser dev`: an embedded platform whose only partner is the tested wallet, and the
 * proxy between both. The log of the proxy feeds the judge.
 */
import { randomBytes } from 'node:crypto'
import { createLiveJudge } from '@purser/conformance/verdict/live-judge'
import type { LiveJudge } from '@purser/conformance/verdict/live-verdict'
import type { Scales } from '@purser/protocol/values/money'
import { createRandom } from '@purser/runtime/seeded-random'
import { type EnvironmentVariables, PROCESS_ROLES, readConfig } from '../../core/config/config.ts'
import { servePlatform } from '../../servers/platform-server.ts'
import { type BearerClient, createBearerClient } from '../bearer-client.ts'
import { createFrameMatches, type FrameMatches } from '../frame/frame-matches.ts'
import { type FaultProxy, type FaultWeights, startFaultProxy } from '../wire/fault-proxy.ts'
import { createLiveCallLog, type LiveCallListener, type LiveCallLog } from '../wire/live-call-log.ts'
import type { DevOptions } from './dev-options.ts'
import { createOwnCalls, type OwnCalls } from './own-calls.ts'

export const DEV_PARTNER = 'dev'

export interface DevServers {
  readonly platform: BearerClient
  readonly network: FaultProxy
  readonly callLog: LiveCallLog
  readonly judge: LiveJudge
  readonly matches: FrameMatches
  readonly ownCalls: OwnCalls
  readonly scales: Scales
  /** Calls with this token are logged, even before its player is known. */
  addToken(token: string): void
  /** From now on no call with this token may succeed. */
  addDeadToken(token: string): void
}

/** Registers a part that is closed at the end, before the parts that it needs. */
type RegisterCloser = (close: () => Promise<void>) => void

/**
 * Relative frequencies of the faults during simulated play. Late calls and late answers are rare,
 * because each of them holds a bet for 5 s.
 */
const WEIGHTS: FaultWeights = {
  ...{ 'lost answer': 26, 'lost call': 14, 'error 500 after': 12, 'error 500': 4 },
  ...{ 'twice at once': 20, twice: 16, 'late call': 5, 'late answer': 3 },
}

export async function startDevServers(
  options: DevOptions,
  env: EnvironmentVariables,
  listener: LiveCallListener,
  closing: RegisterCloser,
): Promise<DevServers> {
  const { walletUrl, secret, seed, faults, headers, bettors } = options
  const config = readConfig(
    {
      ...{ HOST: '127.0.0.1', PORT: '0', PURSER_DATA_DIR: options.keep ?? 'memory://' },
      ...{ PLATFORM_API_KEY: randomBytes(24).toString('base64url'), LOG_LEVEL: env.LOG_LEVEL ?? 'silent' },
      ...{ PURSER_CURRENCIES: env.PURSER_CURRENCIES },
    },
    PROCESS_ROLES.platform,
  )
  const network = await startFaultProxy({
    ...{ walletUrl, headers, weights: WEIGHTS },
    ...{ fraction: bettors > 0 ? faults : 0, random: createRandom(seed, 'faults') },
  })
  closing(() => network.close())
  const judge = createLiveJudge({ secret, players: [] })
  const tokens = new Set<string>()
  const deadTokens = new Set<string>()
  const addDeadToken = (token: string) => void deadTokens.add(token)
  const users = new Map<string, string>()
  const callLog = createLiveCallLog({
    ...{ judge, deadTokens, drawsFaults: true, listener },
    findPlayer: (body) => findPlayer(body, tokens, users),
  })
  network.setInterceptor(callLog)
  const server = await servePlatform(config)
  closing(() => server.close())
  const platform = createBearerClient(server.url, config.platformKey)
  const partner = { partnerId: DEV_PARTNER, baseUrl: network.url, secret }
  await platform.fetchJson('POST', '/partners', partner)
  const matches = await createFrameMatches(platform, createRandom(seed, 'frame'))
  closing(() => matches.stop())
  return {
    ...{ platform, network, callLog, judge, matches, scales: config.scales },
    ownCalls: createOwnCalls({ proxyUrl: network.url, walletUrl, secret, addDeadToken }),
    addToken: (token) => void tokens.add(token),
    addDeadToken,
  }
}

/**
 * The userId of a call; User data has only a token. The platform's test of a new partner uses an
 * unknown token, and is not logged.
 */
function findPlayer(
  { userId, token }: Readonly<Record<string, unknown>>,
  tokens: ReadonlySet<string>,
  users: Map<string, string>,
): string | undefined {
  if (typeof token === 'string' && typeof userId === 'string') users.set(token, userId)
  if (typeof userId === 'string') return userId
  if (typeof token !== 'string' || !tokens.has(token)) return undefined
  return users.get(token) ?? ''
}
