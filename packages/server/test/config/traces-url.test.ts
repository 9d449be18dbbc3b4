import { expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'

const KEYS = { PARTNER_SECRET: 'the-secret', GATEWAY_API_KEY: 'the-key' }

test.each([
  [{}, 'http://127.0.0.1:4318/v1/traces', []],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/own' }, 'http://127.0.0.1:4318/own', []],
  [{ OTEL_TRACES_EXPORTER: 'none' }, undefined, []],
  [{ OTEL_TRACES_EXPORTER: 'None' }, undefined, []],
  [{ OTEL_TRACES_EXPORTER: 'OTLP' }, 'http://127.0.0.1:4318/v1/traces', []],
  [
    { OTEL_TRACES_EXPORTER: 'otlp, console' },
    'http://127.0.0.1:4318/v1/traces',
    ['OTEL_TRACES_EXPORTER: the exporter "console" is not supported and is ignored; set otlp or none'],
  ],
  [
    { OTEL_TRACES_EXPORTER: 'nonsense' },
    'http://127.0.0.1:4318/v1/traces',
    ['OTEL_TRACES_EXPORTER: the exporter "nonsense" is not known and is ignored; set otlp or none'],
  ],
  [{ OTEL_SDK_DISABLED: 'True' }, undefined, []],
  [{ OTEL_SDK_DISABLED: 'FALSE' }, 'http://127.0.0.1:4318/v1/traces', []],
  [
    { OTEL_SDK_DISABLED: '1' },
    'http://127.0.0.1:4318/v1/traces',
    ['OTEL_SDK_DISABLED is "1", which counts as false: set true or false'],
  ],
])('the environment %j sends spans to %s and logs the warnings %j', (more, url, warnings) => {
  const env = { ...KEYS, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/', ...more }
  const config = readConfig(env, PROCESS_ROLES.gateway)
  expect([config.tracing.url, config.warnings]).toEqual([url, warnings])
})
