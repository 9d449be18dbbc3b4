/**
 * The settings of traces, by the names that OpenTelemetry gives them (traces-url.ts reads them).
 */
import { SERVER_READERS, type Setting } from './setting.ts'

export const TRACE_SETTINGS = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    readBy: SERVER_READERS,
    meaning: 'Where traces go: the address of an OpenTelemetry collector that takes OTLP over HTTP. Absent: no traces.',
    example: 'http://127.0.0.1:4318',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    readBy: SERVER_READERS,
    meaning: 'The same with its whole path, for a collector that takes traces elsewhere; it comes before the other.',
    example: 'http://127.0.0.1:4318/v1/traces',
  },
  {
    name: 'OTEL_TRACES_EXPORTER',
    readBy: SERVER_READERS,
    default: 'otlp',
    meaning: '`otlp`, or `none`: no traces. Other exporters are ignored with a warning.',
    example: 'none',
  },
  {
    name: 'OTEL_SDK_DISABLED',
    readBy: SERVER_READERS,
    default: 'false',
    meaning: '`true`, in any case: no traces.',
    example: 'true',
  },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    readBy: SERVER_READERS,
    meaning: 'Attributes of all spans of the process, as `key=value`, separated by commas.',
    example: 'deployment.environment.name=live,service.namespace=bets',
  },
  {
    name: 'OTEL_SERVICE_NAME',
    readBy: SERVER_READERS,
    meaning: 'What the traces call this process; absent: purser-wallet, purser-platform, purser-gateway.',
    example: 'wallet-eu',
  },
] as const satisfies readonly Setting[]
