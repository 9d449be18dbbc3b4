/** Settings of traces, with the names of OpenTelemetry (traces-url.ts reads them). */
import { SERVER_READERS, type Setting } from './setting.ts'

export const TRACE_SETTINGS = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    readBy: SERVER_READERS,
    meaning:
      'Address of the OpenTelemetry collector, which receives the traces by OTLP over HTTP. Default: no traces are sent.',
    example: 'http://127.0.0.1:4318',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    readBy: SERVER_READERS,
    meaning:
      'Full address for traces, for a collector with a path of its own. It has priority over OTEL_EXPORTER_OTLP_ENDPOINT.',
    example: 'http://127.0.0.1:4318/v1/traces',
  },
  {
    name: 'OTEL_TRACES_EXPORTER',
    readBy: SERVER_READERS,
    default: 'otlp',
    meaning: '`otlp` sends traces, `none` sends none. Other exporters are ignored with a warning.',
    example: 'none',
  },
  {
    name: 'OTEL_SDK_DISABLED',
    readBy: SERVER_READERS,
    default: 'false',
    meaning: '`true`, in upper or lower case, turns traces off.',
    example: 'true',
  },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    readBy: SERVER_READERS,
    meaning:
      'Attributes that each span of this process carries, as `key=value`, separated by commas. A span is one step of a trace.',
    example: 'deployment.environment.name=live,service.namespace=bets',
  },
  {
    name: 'OTEL_SERVICE_NAME',
    readBy: SERVER_READERS,
    meaning: 'Name of this process in the traces. Default: purser-wallet, purser-platform or purser-gateway.',
    example: 'wallet-eu',
  },
] as const satisfies readonly Setting[]
