/** Wallet, gateway and platform as processes of the simulated market: begun, killed and begun again over data that stays. No socket, no file. */
import type { IncomingMessage } from 'node:http'
import type { Db } from '../../db/db.ts'
import { createKeyring } from '../../db/keyring.ts'
import type { Journal } from '../../feed/journal.ts'
import { createDirectory, type GatewaySession } from '../../gateway/directory.ts'
import { exchangeToken } from '../../gateway/exchange-token.ts'
import type { GatewayMetrics } from '../../gateway/metrics.ts'
import { createOperators } from '../../gateway/operators.ts'
import { registerCalls } from '../../gateway/wire.ts'
import type { Door } from '../../http/door.ts'
import { createSourceOf } from '../../http/source.ts'
import type { CoolingOff } from '../../operator/cooling-off.ts'
import type { OperatorDeps } from '../../operator/operator.ts'
import { authorOfCommand } from '../../people/actions.ts'
import { startDatabaseClock } from '../../platform/database-clock.ts'
import { patient } from '../../platform/delivery/patience.ts'
import type { PlatformMetrics } from '../../platform/metrics.ts'
import { createPlatform, type Platform } from '../../platform/platform.ts'
import { ANYWHERE } from '../../protocol/base-url.ts'
import { isObject } from '../../protocol/json.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { world } from '../../runtime/world.ts'
import type { WalletMetrics } from '../../wallet/metrics.ts'
import { createWallet } from '../../wallet/wallet.ts'
import { createCallerRefusals } from '../../wallet-client/caller-refused.ts'
import { showing } from './clocks.ts'
import type { Host } from './network.ts'
import { CONFIGS, type Config, SECRET } from './store.ts'
import { type ListenerName, URLS, type WalletName } from './who.ts'

export const AUTHORS = {
  wallet: () => authorOfCommand('purser', 'the simulation', 'simulate'),
  gateway: () => authorOfCommand('gateway', 'the simulation', 'simulate'),
  platform: () => authorOfCommand('platform', 'the simulation', 'simulate'),
}

export interface WalletParty {
  readonly host: Host
  readonly operator: OperatorDeps & { readonly coolingOff: CoolingOff }
}

const SILENT: Journal = { isOn: false, add: () => {}, lost: () => 0, stop: async () => {} }
const NOT_MEASURED: WalletMetrics = {
  ...{ called: () => {}, waited: () => {}, taken: () => {}, anomaly: () => {} },
  text: () => '',
}

/** On the wall where a process runs. */
const clockOf = (party: ListenerName): Clock => ({ now: () => new Date(showing(party, world.wall)) })

/** What reads plain calls takes them as it does behind a socket; the same bytes come in and go out. */
export function beginWallet(name: WalletName, db: Db, log: Logger, config: Config): WalletParty {
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
      gate: config.gate,
    },
    rules: { scales, clawback, resettleWindowMs, freebetStake, minimumAge, sharedBets },
    settings: { scales, behindAggregator },
    ...{ journal: SILENT, metrics: NOT_MEASURED, tracing: undefined },
    webhookStates: () => ({}),
    isDraining: () => false,
  })
  void wallet.register(entrance.shown)
  return { host: entrance.host, operator: { db, clock, buckets: 1, scales, coolingOff: 'none' } }
}

/** Where a server's calls come in. */
function createEntrance() {
  let readerOf: Parameters<Door['handsTo']>[0] = () => undefined
  const door: Pick<Door, 'handsTo'> = {
    handsTo(given) {
      readerOf = given
    },
  }
  const host: Host = ({ method, path, headers, body }, answer) => {
    const request = { method, url: path, headers, socket: { remoteAddress: '192.0.2.1' } }
    const read = readerOf(request as unknown as IncomingMessage)
    if (read === undefined) throw new Error(`${method} ${path} is no plain call`)
    read(body, (given) => answer({ status: given.status, body: Buffer.from(given.body, 'latin1') }))
    return true
  }
  return { shown: { app: { register: (() => Promise.resolve()) as never }, door, sourceOf: createSourceOf() }, host }
}

export interface GatewayParty {
  readonly host: Host
  /** Makes operators known. */
  save(operatorId: WalletName): Promise<void>
  /** Undefined when there is none for it now. */
  exchange(operatorId: WalletName, token: string): Promise<GatewaySession | undefined>
}

const UNCOUNTED: GatewayMetrics = { called: () => {}, text: () => '' }

export function beginGateway(db: Db, log: Logger): GatewayParty {
  const { secrets, encryptionKeys } = CONFIGS.gateway
  const clock = clockOf('gateway')
  const operators = createOperators(db, createKeyring(encryptionKeys), ANYWHERE)
  const directory = createDirectory({ db, clock, key: secrets[0] ?? '' })
  const entrance = createEntrance()
  void registerCalls(entrance.shown, {
    ...{ secrets, directory, operators, clock, log, journal: SILENT, metrics: UNCOUNTED, tracing: undefined },
    refusals: createCallerRefusals(log, 'operator'),
    onFailure: (error) => log.error({ err: error }, 'a call failed'),
    isDraining: () => false,
  })
  return {
    host: entrance.host,
    save(operatorId) {
      const operator = { operatorId, baseUrl: URLS[operatorId], secrets: [SECRET], connection: {} }
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

/** `elapsed`: planted in the place of the clock that nobody sets. */
export async function beginPlatform(
  database: Db,
  log: Logger,
  config: Config,
  elapsed?: (clock: Clock) => number,
): Promise<Platform> {
  const db = patient(database)
  const clock = await startDatabaseClock(db)
  const { scales, encryptionKeys, callsPerPartner: connections } = config
  return createPlatform({
    ...{ db, clock, log, scales, keyring: createKeyring(encryptionKeys), random: () => world.chance() },
    timers: {
      at: (time, wake) => world.after(time.getTime() - clock.now().getTime(), wake),
      elapsed: () => elapsed?.(clock) ?? world.elapsed(),
    },
    calling: { connections },
    metricsOf: () => UNMEASURED,
  })
}

/** Errors are part of what happened; the rest is told by the network. */
export function logTo(note: (line: string) => void, party: string): Logger {
  const tell = (said: unknown, text?: string) => {
    const err = isObject(said) ? said.err : undefined
    note(`${party} logs: ${text ?? ''}${err instanceof Error ? ` (${err.message})` : ''}`)
  }
  const quiet = () => {}
  return { error: tell, warn: tell, info: quiet, debug: quiet, isLevelEnabled: () => false } as unknown as Logger
}
