/**
 * Each alert rule fires on its fault and stays quiet on healthy servers. promtool evaluates the
 * rules.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { ALERT_CASES, type Series } from './alert-cases.ts'
import { promtool, RULES_FILE } from './prometheus.ts'

const { groups } = parse(readFileSync(RULES_FILE, 'utf8')) as { groups: { rules: { alert: string }[] }[] }
const ALERTS = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
const HOUR = 60

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'purser-promtool-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Steps and step length, shared by the series of one alert. */
interface Watch {
  readonly steps: number
  readonly minutes: number
}

/** Expects that the alert fires at any step of the series, or at none. */
function caseFor(alert: string, series: Series, { steps, minutes }: Watch, fires: boolean): object {
  const firing = `ALERTS{alertname="${alert}",alertstate="firing"}`
  return {
    interval: `${minutes}m`,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `sum(count_over_time(${firing}[${steps * minutes}m])) > bool 0`,
        eval_time: `${steps * minutes}m`,
        exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  }
}

async function judge(name: string, { minutes }: Watch, tests: readonly object[]) {
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, stringify({ rule_files: [RULES_FILE], evaluation_interval: `${minutes}m`, tests }))
  return promtool('test', 'rules', file)
}

test('promtool accepts the file of alert rules', async () => {
  expect(await promtool('check', 'rules', RULES_FILE)).toMatchObject({ code: 0 })
})

test('every alert has series on which it fires and series on which it does not', () => {
  expect(Object.keys(ALERT_CASES)).toEqual(ALERTS)
  for (const { fires, quiet } of Object.values(ALERT_CASES))
    expect(Math.min(fires.length, quiet.length)).toBeGreaterThan(0)
})

describe.each(Object.entries(ALERT_CASES))('the alert %s', (alert, { fires, quiet, steps = HOUR, minutes = 1 }) => {
  const watch = { steps, minutes }
  const all = (of: readonly Series[], isFiring: boolean) => of.map((series) => caseFor(alert, series, watch, isFiring))

  test('fires on its fault and on no healthy server', async () => {
    const { code, output } = await judge(alert, watch, [...all(fires, true), ...all(quiet, false)])
    expect(code, output).toBe(0)
  })
})
