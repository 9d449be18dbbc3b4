/** Alert rules and dashboard use only exported metrics, and every alert has a documented remedy. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { type GatewayScene, newGatewayScene, newPlayer } from '../../packages/server/test/gateway/scene.ts'
import { playerWithMoney } from '../../packages/server/test/support/operator.ts'
import { startPlatform, type TestPlatform } from '../../packages/server/test/support/platform.ts'
import { startWallet, type TestWallet } from '../../packages/server/test/support/wallet.ts'
import { anchorsOf } from '../docs/markdown.ts'
import { ROOT } from '../docs/session.ts'
import { askedBy } from './expression.ts'
import { type Scrape, scrape } from './scrape.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const RULES = (parse(read('ops/prometheus/purser.rules.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
)
const PAGE = 'docs/operations/alerts.md'
/** Alerts are read away from the server, so their links are absolute. */
const BASE = 'https://github.com/purser-wallet/purser/blob/main/'
interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}
const PANELS = (JSON.parse(read('ops/grafana/purser.json')) as { panels: Panel[] }).panels
const EXPRESSIONS = [
  ...RULES.map(({ alert, expr }) => [alert, expr] as const),
  ...PANELS.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

/** Prometheus adds these to each scrape. */
const OF_PROMETHEUS = ['up']
const LABELS_OF_PROMETHEUS = ['job', 'instance']

let wallet: TestWallet
let platform: TestPlatform
let gateway: GatewayScene
let answers: Scrape[]
beforeAll(async () => {
  wallet = await startWallet()
  platform = await startPlatform()
  gateway = await newGatewayScene(1)
  await makeSamples()
  answers = await Promise.all([wallet, platform, gateway.gateway].map(({ url }) => scrape(url)))
})
afterAll(async () => {
  await wallet.auditIsClean()
  await Promise.all([wallet.stop(), platform.stop(), gateway.stop()])
})

function becomes(url: string, name: string, labels?: Record<string, string>): Promise<void> {
  const look = async () => expect((await scrape(url)).value(name, labels)).toBe(1)
  return vi.waitFor(look, { timeout: 30_000, interval: 200 })
}

/** A label appears only with a sample, so this makes one of each metric. */
async function makeSamples(): Promise<void> {
  await wallet.operator.request('PUT', '/operator/webhooks/crm', { url: 'http://127.0.0.1:9/' })
  const player = await playerWithMoney(wallet.operator)
  await wallet.wire.place({ ...player, transactionId: randomUUID(), amount: 1 })
  await wallet.wire.settle({ ...player, transactionId: randomUUID(), amount: 1 })
  await becomes(wallet.url, 'wallet_webhooks', { state: 'failing' })
  const { partnerId, wallet: partner } = await platform.partner()
  const { betId } = await platform.api.place(await platform.api.loadFrame(partnerId))
  partner.always('settle', { status: 400, body: { code: 20, message: 'recalculation blocked' } })
  await platform.api.settle(betId, 'won', '25.00')
  await becomes(platform.url, 'platform_bets_owed')
  const { token, userId } = await newPlayer(gateway)
  await gateway.gateway.wire.place({ token, userId, transactionId: randomUUID() })
}

test.each(EXPRESSIONS)('%s uses metrics and labels that exist: %s', (_what, expr) => {
  const { faults, metrics, groups } = askedBy(expr)
  expect(faults).toEqual([])
  expect(metrics.length).toBeGreaterThan(0)
  for (const { name, labels } of metrics.filter((metric) => !OF_PROMETHEUS.includes(metric.name))) {
    const having = answers.filter(({ names }) => names.has(name))
    expect(having.length, name).toBeGreaterThan(0)
    const known = [...LABELS_OF_PROMETHEUS, 'le', ...having.flatMap((answer) => [...(answer.labels.get(name) ?? [])])]
    expect(known, name).toEqual(expect.arrayContaining([...labels, ...groups]))
  }
})

test('the check of rules finds an unknown metric, an unknown label and a typing error', () => {
  expect(askedBy('sum(rate(x[5m])').faults).not.toEqual([])
  expect(askedBy('sum by (job) (a_total{b="c"}) / d')).toEqual({
    faults: [],
    metrics: [
      { name: 'a_total', labels: ['b'] },
      { name: 'd', labels: [] },
    ],
    groups: ['job'],
  })
  expect(answers.some(({ names }) => names.has('wallet_call_total'))).toBe(false)
  expect(answers[0]?.labels.get('wallet_calls_total')).toEqual(new Set(['operation', 'outcome']))
})

test('every alert has its section, and every section its alert', () => {
  const sections = [...read(PAGE).matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(RULES.map(({ alert }) => alert))
  for (const { alert, annotations, labels } of RULES) {
    const [page, anchor] = annotations.runbook_url.split('#')
    expect({ page, anchor }).toEqual({ page: BASE + PAGE, anchor: alert.toLowerCase() })
    expect(anchorsOf(read(PAGE))).toContain(anchor)
    expect(['page', 'ticket']).toContain(labels.severity)
  }
})

test('the alert about money that is owed for long names the amount and the currency', () => {
  const rule = RULES.find(({ expr }) => expr.includes('platform_owed_amount'))
  expect(rule).toMatchObject({ alert: 'PlatformOwesMoney', for: '1h' })
  expect(askedBy(rule?.expr ?? '').groups).toEqual(['currency'])
  expect(rule?.annotations.summary).toContain('{{ $value }} {{ $labels.currency }}')
})

test('the page of metrics lists all metrics of the servers', () => {
  const own = answers
    .flatMap(({ names }) => [...names])
    .filter((name) => /^(purser|wallet|platform|gateway)_/.test(name))
  const page = read('docs/reference/metrics.md')
  const bare = own.map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  expect(bare.filter((name) => !page.includes(`\`${name}`))).toEqual([])
  const documented = [...page.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name)
  expect(documented.filter((name) => !bare.includes(name as string))).toEqual([])
})
