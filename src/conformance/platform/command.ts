/** What is special to `conformance platform`: where the kit listens, and how the platform is brought to call. */

import { findUrlFault } from '../../protocol/base-url.ts'
import type { Headers } from '../../runtime/headers.ts'
import { Unreachable, WrongUse } from '../../runtime/wrong-use.ts'
import { type CommandDeps, type CommonFlags, type Judge, type Kit, runCommand } from '../command.ts'
import type { PlatformCase } from './case.ts'
import { PLATFORM_CASES } from './cases.ts'
import type { Drive } from './play/drive.ts'
import { driveByApi, whyUnreachable } from './play/drive-api.ts'
import { driveByHook, withRestart } from './play/drive-hook.ts'
import { runPlatformKit } from './play/run.ts'
import { timingOf } from './play/timing.ts'

export interface ConformancePlatformFlags extends CommonFlags {
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
export function runConformancePlatform(flags: ConformancePlatformFlags, deps: CommandDeps): Promise<number> {
  return runCommand(platformKit(flags, deps.env ?? {}), flags, deps)
}

const USUAL_HOST = '127.0.0.1'

function platformKit(flags: ConformancePlatformFlags, { PLATFORM_API_KEY }: NodeJS.ProcessEnv): Kit<PlatformCase> {
  const { listen, host, publicUrl, platformApi, platformKey, drive, restart, slow } = flags
  return {
    judged: 'platform',
    cases: PLATFORM_CASES,
    target: [
      { name: '--listen', value: listen },
      { name: '--host', value: host === USUAL_HOST ? undefined : host },
      { name: '--public-url', value: publicUrl },
      { name: '--platform-api', value: platformApi },
      { name: '--platform-key', value: platformKey, variable: '$PLATFORM_API_KEY' },
      { name: '--drive', value: drive },
      { name: '--restart', value: restart },
      { name: '--slow', value: slow },
    ],
    prepare: () => prepare({ ...(PLATFORM_API_KEY !== undefined && { platformKey: PLATFORM_API_KEY }), ...flags }),
  }
}

function prepare(flags: ConformancePlatformFlags): Judge<PlatformCase> {
  const listen = listenOn(flags)
  const open = driverFor(flags)
  let close = async () => {}
  return {
    async run(wanted, how) {
      const driver = await open(how.headers)
      close = driver.close
      const { drive, target } = driver
      const isWanted = (one: PlatformCase) => wanted.includes(one)
      const what = { cases: PLATFORM_CASES, isWanted, isSlow: flags.slow === true, timing: timingOf() }
      return runPlatformKit({ ...how, ...what, drive, target, listen })
    },
    close: () => close(),
  }
}

function listenOn({ listen, host, publicUrl }: ConformancePlatformFlags) {
  const port = listen !== undefined && /^\d{1,5}$/.test(listen) ? Number.parseInt(listen, 10) : undefined
  if (port === undefined || port > 65_535)
    throw new WrongUse('give --listen, the port on which the kit plays the wallet')
  const fault = publicUrl === undefined ? undefined : findUrlFault(publicUrl, 'wallet')
  if (fault !== undefined) throw new WrongUse(`--public-url ${fault}`)
  return { host, port, ...(publicUrl !== undefined && { publicUrl }) }
}

interface Driver {
  readonly drive: Drive
  readonly target: string
  close(): Promise<void>
}

type OpenDriver = (headers: Headers) => Promise<Driver>

function driverFor(flags: ConformancePlatformFlags): OpenDriver {
  const open = plainDriverFor(flags)
  const { restart } = flags
  if (restart === undefined) return open
  return async (headers) => {
    const driver = await open(headers)
    return { ...driver, drive: withRestart(driver.drive, restart) }
  }
}

function plainDriverFor({ platformApi, platformKey, drive }: ConformancePlatformFlags): OpenDriver {
  if ((platformApi === undefined) === (drive === undefined)) throw new WrongUse('give either --platform-api or --drive')
  if (drive !== undefined) return async () => ({ drive: driveByHook(drive), target: drive, close: async () => {} })
  const fault = platformApi === undefined ? 'is missing' : findUrlFault(platformApi, 'api')
  if (platformApi === undefined || fault !== undefined) throw new WrongUse(`--platform-api ${fault}`)
  if (platformKey === undefined) throw new WrongUse('give --platform-key or set PLATFORM_API_KEY')
  return async (headers) => {
    const why = await whyUnreachable(platformApi)
    if (why !== undefined) throw new Unreachable(`${platformApi} cannot be reached: ${why}`)
    return { ...driveByApi({ url: platformApi, key: platformKey, headers }), target: platformApi }
  }
}
