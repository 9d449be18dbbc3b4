// What a gateway costs: the same load on an operator directly, through a plain proxy, and through the gateway. README.md
// beside this file says how to read it.
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Window } from '../generator.ts'
import type { BenchPlayer } from '../place-bet.ts'
import { processSeconds } from '../processor-time.ts'
import { runLoad } from '../run-load.ts'
import { HOST, type ServerProcess, startServer } from '../server-process.ts'
import { MAIN, newSecret, SECRET } from '../subjects.ts'

const OPERATOR_SECRET = newSecret()
const GATEWAY_KEY = newSecret()
const PLAYERS = 500
const WARMUP_SECONDS = 2
const SECONDS = 3
/** Many: what the machine can do. Few: what one call takes; last, when every server is warm. */
const CONNECTIONS = [128, 4]

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url))

interface Subject {
  readonly name: string
  readonly secret: string
  start(operator: ServerProcess): Promise<{ server: ServerProcess; players: BenchPlayer[] }>
}

const SUBJECTS: readonly Subject[] = [
  {
    name: 'direct',
    secret: OPERATOR_SECRET,
    start: async () => ({ server: await startOperator(), players: inventedPlayers() }),
  },
  { name: 'plain proxy', secret: SECRET, start: startPlainProxy },
  { name: 'gateway', secret: SECRET, start: startGateway },
]

function startOperator(): Promise<ServerProcess> {
  return startServer([beside('operator.js')], { PARTNER_SECRET: OPERATOR_SECRET })
}

async function startPlainProxy({ url }: ServerProcess) {
  const env = { PARTNER_SECRET: SECRET, OPERATOR_SECRET, OPERATOR_URL: url }
  return { server: await startServer([beside('plain-proxy.js')], env), players: inventedPlayers() }
}

/** The mapping is kept in memory once it has been read, so the embedded database, which production refuses, is as good as a Postgres. */
async function startGateway({ url: baseUrl }: ServerProcess) {
  const secrets = { PARTNER_SECRET: SECRET, GATEWAY_API_KEY: GATEWAY_KEY }
  const env = { ...secrets, NODE_ENV: 'development', PURSER_DATA_DIR: 'memory://', LOG_LEVEL: 'warn' }
  const server = await startServer([MAIN, 'gateway'], env)
  await post(`${server.url}/operators`, { operatorId: 'bench', baseUrl, secret: OPERATOR_SECRET })
  const players: BenchPlayer[] = []
  for (const { token } of inventedPlayers()) {
    const session = await post(`${server.url}/operators/bench/sessions`, { token })
    players.push(session as BenchPlayer)
  }
  return { server, players }
}

function inventedPlayers(): BenchPlayer[] {
  return Array.from({ length: PLAYERS }, (_, index) => ({
    userId: `player-${index}`,
    token: randomBytes(32).toString('base64url'),
  }))
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

interface Measured {
  readonly name: string
  readonly connections: number
  readonly window: Window
  /** Microseconds of processor time per bet of what stands before the operator. */
  readonly microseconds: number
}

async function measure(subject: Subject): Promise<Measured[]> {
  const operator = await startOperator()
  const { server, players } = await subject.start(operator)
  const measured: Measured[] = []
  for (const connections of CONNECTIONS) {
    const shape = { players, connections, warmupSeconds: WARMUP_SECONDS, seconds: SECONDS }
    const load = { ...shape, host: HOST, port: server.port, secret: subject.secret }
    const { window, before, after } = await runLoad(load, async () => processSeconds(server.pid))
    if (Object.keys(window.refused).length > 0) throw new Error(`${subject.name}: ${JSON.stringify(window.refused)}`)
    measured.push({ name: subject.name, connections, window, microseconds: ((after - before) / window.accepted) * 1e6 })
  }
  await server.stop()
  await operator.stop()
  return measured
}

const all: Measured[] = []
for (const subject of SUBJECTS) all.push(...(await measure(subject)))
const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |\n`
process.stdout.write(line(['', 'connections', 'bets/s', 'p50 ms', 'p99 ms', 'µs of its processor']))
process.stdout.write(line(Array(6).fill('---')))
for (const { name, connections, window, microseconds } of all) {
  const { accepted, seconds, p50Ms, p99Ms } = window
  const speed = Math.trunc(accepted / seconds).toLocaleString('en')
  const ms = [p50Ms, p99Ms].map((time) => Math.trunc(time * 100) / 100)
  process.stdout.write(line([name, connections, speed, ...ms, Math.trunc(microseconds)]))
}
process.stdout.write(`${JSON.stringify({ cores: availableParallelism(), node: process.version })}\n`)
