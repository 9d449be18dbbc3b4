/**
 * Command `conformance platform`. Its options set the address of the mock wallet, and the driver
 * that makes the platform call this wallet.
 */

import { findUrlFault } from '@purser/protocol/values/base-url'
import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import {
  type CommonConformanceFlags,
  type ConformanceDeps,
  type ConformanceSuite,
  type PreparedSuite,
  runConformanceCommand,
} from '../conformance-command.ts'
import type { PlatformCase } from './platform-case.ts'
import { PLATFORM_CASES } from './platform-cases.ts'
import { createApiDriver, findConnectionError } from './play/api-driver.ts'
import { createHookDriver, withRestartCommand } from './play/hook-driver.ts'
import { createKitTiming } from './play/kit-timing.ts'
import type { PlatformDriver } from './play/platform-driver.ts'
import { runPlatformKit } from './play/platform-kit-run.ts'

export interface ConformancePlatformFlags extends CommonConformanceFlags {
  readonly listen?: string
  readonly host: string
  readonly publicUrl?: string
  readonly platformApi?: string
  readonly platformKey?: string
  readonly drive?: string
  readonly restart?: string
  readonly slow?: true
}

/** Resolves to the exit code. */
export function runConformancePlatform(flags: ConformancePlatformFlags, deps: ConformanceDeps): Promise<number> {
  return runConformanceCommand(createPlatformKit(flags, deps.env ?? {}), flags, deps)
}

const DEFAULT_HOST = '127.0.0.1'

function createPlatformKit(
  flags: ConformancePlatformFlags,
  { PLATFORM_API_KEY }: NodeJS.ProcessEnv,
): ConformanceSuite<PlatformCase> {
  const { listen, host, publicUrl, platformApi, platformKey, drive, restart, slow } = flags
  return {
    judged: 'platform',
    cases: PLATFORM_CASES,
    target: [
      { name: '--listen', value: listen },
      { name: '--host', value: host === DEFAULT_HOST ? undefined : host },
      { name: '--public-url', value: publicUrl },
      { name: '--platform-api', value: platformApi },
      { name: '--platform-key', value: platformKey, variable: '$PLATFORM_API_KEY' },
      { name: '--drive', value: drive },
      { name: '--restart', value: restart },
      { name: '--slow', value: slow },
    ],
    prepare: () =>
      preparePlatformRun({ ...(PLATFORM_API_KEY !== undefined && { platformKey: PLATFORM_API_KEY }), ...flags }),
  }
}

function preparePlatformRun(flags: ConformancePlatformFlags): PreparedSuite<PlatformCase> {
  const listen = parseListenOptions(flags)
  const open = chooseDriver(flags)
  let close = async () => {}
  return {
    async run(wanted, how) {
      const driver = await open(how.headers)
      close = driver.close
      const { drive, target } = driver
      const isWanted = (one: PlatformCase) => wanted.includes(one)
      const platformRun = { cases: PLATFORM_CASES, isWanted, isSlow: flags.slow === true, timing: createKitTiming() }
      return runPlatformKit({ ...how, ...platformRun, drive, target, listen })
    },
    close: () => close(),
  }
}

function parseListenOptions({ listen, host, publicUrl }: ConformancePlatformFlags) {
  const port = listen !== undefined && /^\d{1,5}$/.test(listen) ? Number.parseInt(listen, 10) : undefined
  if (port === undefined || port > 65_535)
    throw new UsageError('the port is missing: give --listen, the port on which the kit acts as the wallet')
  const fault = publicUrl === undefined ? undefined : findUrlFault(publicUrl, 'wallet')
  if (fault !== undefined) throw new UsageError(`--public-url ${fault}`)
  return { host, port, ...(publicUrl !== undefined && { publicUrl }) }
}

interface OpenedDriver {
  readonly drive: PlatformDriver
  readonly target: string
  close(): Promise<void>
}

type OpenDriver = (headers: ExtraHeaders) => Promise<OpenedDriver>

function chooseDriver(flags: ConformancePlatformFlags): OpenDriver {
  const open = choosePlainDriver(flags)
  const { restart } = flags
  if (restart === undefined) return open
  return async (headers) => {
    const driver = await open(headers)
    return { ...driver, drive: withRestartCommand(driver.drive, restart) }
  }
}

function choosePlainDriver({ platformApi, platformKey, drive }: ConformancePlatformFlags): OpenDriver {
  if ((platformApi === undefined) === (drive === undefined))
    throw new UsageError('the kit needs one way to control the platform: give either --platform-api or --drive')
  if (drive !== undefined) return async () => ({ drive: createHookDriver(drive), target: drive, close: async () => {} })
  const fault = platformApi === undefined ? 'is missing' : findUrlFault(platformApi, 'api')
  if (platformApi === undefined || fault !== undefined) throw new UsageError(`--platform-api ${fault}`)
  if (platformKey === undefined)
    throw new UsageError('the platform key is missing: give --platform-key or set PLATFORM_API_KEY')
  return async (headers) => {
    const why = await findConnectionError(platformApi)
    if (why !== undefined) throw new UnavailableError(`${platformApi} cannot be reached: ${why}`)
    return { ...createApiDriver({ url: platformApi, key: platformKey, headers }), target: platformApi }
  }
}
