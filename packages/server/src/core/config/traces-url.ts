/**
 * Decides, by the environment variables of OpenTelemetry, if and where the server sends trace
 * spans.
 *
 * As the specification requires, an unknown value is a warning and counts as absent.
 */
import type { SettingName } from './settings.ts'

interface SettingSource {
  optional(name: SettingName): string | undefined
  httpUrl(name: SettingName): string | undefined
}

/** Exporters in the specification that Purser does not support. */
const UNSUPPORTED_EXPORTERS = ['console', 'logging', 'zipkin', 'jaeger', 'prometheus']

/** Undefined when traces are off. */
export function readTracesUrl({ optional, httpUrl }: SettingSource, warnings: string[]): string | undefined {
  const base = httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT')
  const whole = httpUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const isDisabled = isTrue('OTEL_SDK_DISABLED', optional('OTEL_SDK_DISABLED'), warnings)
  const isExported = exportsOtlp('OTEL_TRACES_EXPORTER', optional('OTEL_TRACES_EXPORTER'), warnings)
  return isDisabled || !isExported ? undefined : (whole ?? (base && `${base.replace(/\/$/, '')}/v1/traces`))
}

/** As specified, only `true` in any case counts as true. */
function isTrue(name: SettingName, value = '', warnings: string[]): boolean {
  const text = value.toLowerCase()
  if (!['', 'true', 'false'].includes(text))
    warnings.push(`${name} is "${value}", which counts as false: set true or false`)
  return text === 'true'
}

function exportsOtlp(name: SettingName, value = 'otlp', warnings: string[]): boolean {
  const names = value.split(',').map((part) => part.trim().toLowerCase())
  for (const exporter of names) if (!['otlp', 'none', ''].includes(exporter)) warnings.push(notExported(name, exporter))
  return !names.every((exporter) => exporter === 'none')
}

function notExported(name: SettingName, exporter: string): string {
  const why = UNSUPPORTED_EXPORTERS.includes(exporter) ? 'is not supported' : 'is not known'
  return `${name}: the exporter "${exporter}" ${why} and is ignored; set otlp or none`
}
