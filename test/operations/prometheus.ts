/** Runs Debian's Prometheus and promtool, so that the real programs evaluate the alert rules. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { vi } from 'vitest'
import { stringify } from 'yaml'
import { freePort } from '../../packages/server/test/support/postgres-server.ts'

export const RULES_FILE = resolve('ops/prometheus/purser.rules.yaml')
/** Interval of scrapes and of rule evaluations. */
const INTERVAL = '1s'
const NOT_INSTALLED = "Prometheus is not installed: install Debian's package prometheus, which also brings promtool"

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [time: number, value: string]
}

export interface Prometheus {
  query(expression: string): Promise<readonly Sample[]>
  alerts(): Promise<readonly string[]>
  stop(): Promise<void>
}

function refuseMissing(error: NodeJS.ErrnoException): Error {
  return error.code === 'ENOENT' ? new Error(NOT_INSTALLED) : error
}

export function promtool(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((done, reject) => {
    execFile('promtool', args, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') return reject(refuseMissing(error as NodeJS.ErrnoException))
      done({ code: Number(error?.code ?? 0), output: stdout + stderr })
    })
  })
}

/** `targets`: job name → server address. */
export async function startPrometheus(targets: Readonly<Record<string, string>>): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-prometheus-'))
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, stringify(configFor(targets)))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  )
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(refuseMissing(error)))
    child.once('exit', (code) => reject(new Error(`Prometheus ended with the exit code ${code}`)))
  })
  const exited = once(child, 'exit').catch(() => {})
  const isReady = async () => {
    if (!(await fetch(`http://${address}/-/ready`)).ok) throw new Error('Prometheus is not ready yet')
  }
  await Promise.race([vi.waitFor(isReady, { timeout: 60_000, interval: 200 }), failed])
  failed.catch(() => {})
  const get = async (path: string) => ((await (await fetch(`http://${address}/api/v1/${path}`)).json()) as Answer).data
  return {
    query: async (expression) => (await get(`query?query=${encodeURIComponent(expression)}`)).result ?? [],
    alerts: async () =>
      ((await get('rules?type=alert')).groups ?? []).flatMap(({ rules }) => rules.map(({ name }) => name)),
    async stop() {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Answer {
  readonly data: {
    readonly result?: readonly Sample[]
    readonly groups?: readonly { readonly rules: readonly { readonly name: string }[] }[]
  }
}

function configFor(targets: Readonly<Record<string, string>>): object {
  return {
    global: { scrape_interval: INTERVAL, scrape_timeout: INTERVAL, evaluation_interval: INTERVAL },
    rule_files: [RULES_FILE],
    scrape_configs: Object.entries(targets).map(([job, url]) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(url).host] }],
    })),
  }
}
