/**
 * Wallet, gateway and platform as processes of the simulated market, without sockets and files.
 *
 * A process can die and restart; its database stays.
 */
import { createCallerRefusals } from '@purser/protocol/client/caller-refusals'
import { ANYWHERE } from '@purser/protocol/values/base-url'
import { isObject } from '@purser/protocol/values/exact-json'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import { createCommandActor } from 'purser/core/auth/audit-log/audit-log'
import type { CallJournal } from 'purser/core/call-journal/call-journal'
import type { Db } from 'purser/core/database/db'
import { createEncryptionKeyring } from 'purser/core/database/encryption/encryption-keyring'
import type { ReceiveCall, WireServer } from 'purser/core/partner-wire/call-server'
import type { GatewayMetrics } from 'purser/gateway/gateway-metrics'
import { createOperators } from 'purser/gateway/operators/operators'
import { createPlayerDirectory, type GatewaySession } from 'purser/gateway/players/player-directory'
import { exchangeToken } from 'purser/gateway/players/token-exchange'
import { registerGatewayWire } from 'purser/gateway/wire/gateway-wire'
import { startDatabaseClock } from 'purser/platform/database-clock'
import { withConflictRetry } from 'purser/platform/delivery/conflict-retry'
import { createPlatform, type Platform } from 'purser/platform/platform'
import type { PlatformMetrics } from 'purser/platform/platform-metrics'
import type { OperatorDeps } from 'purser/wallet/operator-api/operator-context'
import type { CoolingOff } from 'purser/wallet/operator-api/players/cooling-off'
import { createWallet } from 'purser/wallet/wallet'
import type { WalletMetrics } from 'purser/wallet/wallet-metrics'
import { CONFIGS, MARKET_SECRET, type ServerConfig } from '../databases/market-store.ts'
import type { Host } from '../network/simulated-network.ts'
import { withClock } from '../network/wall-clocks.ts'
import { type ListenerName, PARTY_URLS, type WalletName } from './party-names.ts'

export const AUTHORS = {
  wallet: () => createCommandActor('purser', 'the simulation', 'simulate'),
  gateway: () => createCommandActor('gateway', 'the simulation', 'simulate'),
  platform: () => createCommandActor('platform', 'the simulation', 'simulate'),
}

export interface WalletParty {
  readonly host: Host
  readonly operator: OperatorDeps & { readonly coolingOff: CoolingOff }
}

const SILENT: CallJournal = { isOn: false, add: () => {}, lost: () => 0, stop: async () => {} }
const NOT_MEASURED: WalletMetrics = {
  ...{ observeCall: () => {}, observeWait: () => {}, countFastPath: () => {}, countAnomaly: () => {} },
  text: () => '',
}

/** The clock of the machine on which the party runs. */
const clockOf = (party: ListenerName): Clock => ({ now: () => new Date(withClock(party, environment.now)) })

/** The wallet receives plain calls as from a socket, with the same bytes in and out. */
export function startWalletParty(name: WalletName, db: Db, log: Logger, config: ServerConfig): WalletParty {
  const clock = clockOf(name)
  const {
    platformSecrets,
    scales,
    clawback,
    resettleWindowMs,
    freebetStake,
    minimumAge,
    sharedBets,
    behindAggregator,
  } = config
  const entrance = createEntrance()
  const wallet = createWallet({
    ...{
      db,
      log,
      secrets: [...config.secrets, ...platformSecrets.map(({ value }) => value)],
      clock,
      buckets: 1,
      platforms: [...config.secrets.map(() => ''), ...platformSecrets.map(({ platform }) => platform)],
      fastPath: config.fastPath,
    },
    rules: { scales, clawback, resettleWindowMs, freebetStake, minimumAge, sharedBets },
    settings: { scales, behindAggregator },
    ...{ journal: SILENT, metrics: NOT_MEASURED, tracing: undefined },
    webhookStates: () => ({}),
  })
  void wallet.register(entrance.shown)
  return { host: entrance.host, operator: { db, clock, buckets: 1, scales, coolingOff: 'none' } }
}

/** Replaces the HTTP server. */
function createEntrance() {
  let receive: ReceiveCall = () => {}
  const shown: WireServer = {
    serveCalls(given) {
      receive = given
      return Promise.resolve()
    },
  }
  const host: Host = ({ method, path, headers, body }, answer) => {
    const now = environment.monotonicNow()
    const call = { method, path, headers, body, isTooLong: false, arrivedAt: now, receivedAt: now, source: '192.0.2.1' }
    receive(call, (reply) => answer({ status: reply.status, body: Buffer.from(reply.body) }))
    return true
  }
  return { shown, host }
}

export interface GatewayParty {
  readonly host: Host
  save(operatorId: WalletName): Promise<void>
  /** Undefined if the exchange of the token was rejected. */
  exchange(operatorId: WalletName, token: string): Promise<GatewaySession | undefined>
}

const UNCOUNTED: GatewayMetrics = { recordCall: () => {}, text: () => '' }

export function startGatewayParty(db: Db, log: Logger): GatewayParty {
  const { secrets, encryptionKeys } = CONFIGS.gateway
  const clock = clockOf('gateway')
  const operators = createOperators(db, createEncryptionKeyring(encryptionKeys), ANYWHERE)
  const directory = createPlayerDirectory({ db, clock, key: secrets[0] ?? '' })
  const entrance = createEntrance()
  void registerGatewayWire(entrance.shown, {
    ...{ secrets, directory, operators, clock, log, journal: SILENT, metrics: UNCOUNTED, tracing: undefined },
    refusals: createCallerRefusals(log, 'operator'),
    onFailure: (error) => log.error({ err: error }, 'a call failed'),
  })
  return {
    host: entrance.host,
    save(operatorId) {
      const operator = { operatorId, baseUrl: PARTY_URLS[operatorId], secrets: [MARKET_SECRET], connection: {} }
      return operators.save(AUTHORS.gateway(), operator, clock.now())
    },
    async exchange(operatorId, token) {
      const exchanged = await exchangeToken({ operators, directory }, AUTHORS.gateway(), operatorId, token)
      return exchanged.kind === 'exchanged' ? exchanged.session : undefined
    },
  }
}

const UNMEASURED: PlatformMetrics = {
  ...{ attempted: () => {}, delivered: () => {}, unrecorded: () => {}, signatureRefused: () => {} },
  text: async () => '',
  age: () => [{}, 0],
}

/** `elapsed`: a planted fault that replaces the monotonic clock. */
export async function startPlatformParty(
  database: Db,
  log: Logger,
  config: ServerConfig,
  elapsed?: (clock: Clock) => number,
): Promise<Platform> {
  const db = withConflictRetry(database)
  const clock = await startDatabaseClock(db)
  const { scales, encryptionKeys, callsPerPartner: connections } = config
  return createPlatform({
    ...{ db, clock, log, scales, keyring: createEncryptionKeyring(encryptionKeys), random: () => environment.random() },
    timers: {
      at: (time, wake) => environment.setTimer(time.getTime() - clock.now().getTime(), wake),
      elapsed: () => elapsed?.(clock) ?? environment.monotonicNow(),
    },
    calling: { connections },
    metricsOf: () => UNMEASURED,
  })
}

/** Errors and warnings belong to the story; all other events come from the network. */
export function createTraceLogger(note: (line: string) => void, party: string): Logger {
  const logError = (entry: unknown, text?: string) => {
    const err = isObject(entry) ? entry.err : undefined
    note(`${party} logs: ${text ?? ''}${err instanceof Error ? ` (${err.message})` : ''}`)
  }
  const quiet = () => {}
  return {
    error: logError,
    warn: logError,
    info: quiet,
    debug: quiet,
    isLevelEnabled: () => false,
  } as unknown as Logger
}
