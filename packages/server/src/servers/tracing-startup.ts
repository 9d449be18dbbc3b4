/**
 * Starts tracing if an address for spans is configured. Otherwise the OpenTelemetry packages are
 * not even loaded.
 */

import { environment } from '@purser/runtime/environment'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Logger } from '@purser/runtime/logger'
import type { Tracing } from '@purser/runtime/tracing'
import type { Config } from '../core/config/config.ts'
import type { ServerKind } from '../core/database/schema/database-privileges.ts'

export interface RunningTracing extends Tracing {
  /** Sends the remaining spans, if it takes little time. */
  stop(): Promise<void>
}

/** Milliseconds between two warnings about lost spans. */
const WARNING_INTERVAL_MS = 60_000

export async function startTracing(
  server: ServerKind,
  { tracing }: Config,
  log: Logger,
): Promise<RunningTracing | undefined> {
  const { url } = tracing
  if (url === undefined) return undefined
  const { startOpenTelemetry } = await import('./opentelemetry.ts').catch((error: unknown) => {
    throw new UsageError(NOT_INSTALLED, { cause: error })
  })
  let nextWarningAt = 0
  return startOpenTelemetry({
    ...{ url, serviceName: `purser-${server}` },
    onLost(error) {
      if (environment.monotonicNow() < nextWarningAt) return
      nextWarningAt = environment.monotonicNow() + WARNING_INTERVAL_MS
      log.warn({ err: error }, 'traces could not be sent and were dropped')
    },
  })
}

const NOT_INSTALLED =
  'OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, but the packages of OpenTelemetry are not installed: install without --omit=optional, or unset it'
