/** Tracing, where somebody has set where to send it. Off, its packages are not even loaded. */
import type { Config } from '../config/config.ts'
import type { Server } from '../db/rights.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Tracing } from '../runtime/tracing.ts'
import { world } from '../runtime/world.ts'
import { WrongUse } from '../runtime/wrong-use.ts'

export interface RunningTracing extends Tracing {
  /** Sends what is left, if that can be done soon. */
  stop(): Promise<void>
}

/** Milliseconds between two lines of the log about spans that are lost. */
const TELL_AGAIN_MS = 60_000

export async function startTracing(
  server: Server,
  { tracing }: Config,
  log: Logger,
): Promise<RunningTracing | undefined> {
  const { url } = tracing
  if (url === undefined) return undefined
  const { startOpenTelemetry } = await import('./opentelemetry.ts').catch((error: unknown) => {
    throw new WrongUse(NOT_INSTALLED, { cause: error })
  })
  let tellFrom = 0
  return startOpenTelemetry({
    ...{ url, serviceName: `purser-${server}` },
    onLost(error) {
      if (world.elapsed() < tellFrom) return
      tellFrom = world.elapsed() + TELL_AGAIN_MS
      log.warn({ err: error }, 'traces could not be sent, and are lost')
    },
  })
}

const NOT_INSTALLED =
  'OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, but the packages of OpenTelemetry are not installed: install without --omit=optional, or unset it'
