// Measures the cost of a gateway: the same load goes to an operator directly, through a plain
// proxy, and through the gateway. See README.md in this folder.
import { availableParallelism } from 'node:os'
import { UsageError } from '../arguments.ts'
import type { Window } from '../generator.ts'
import type { BenchPlayer } from '../place-bet.ts'
import { readProcessSeconds } from '../processor-time.ts'
import { runLoad } from '../run-load.ts'
import { HOST, type ServerProcess } from '../server-process.ts'
import { MAIN, SECRET } from '../subjects.ts'
import { GATEWAY_HELP, type GatewayOptions, parseGatewayOptions } from './options.ts'
import { inventPlayers, OPERATOR_SECRET, startGateway, startOperator, startPlainProxy } from './servers.ts'

const WARMUP_SECONDS = 2
const SECONDS = 3
/**
 * Many connections show the limit of the machine, few the time of one call. The few come last, when
 * servers are warm.
 */
const CONNECTIONS = [128, 4]

interface Subject {
  readonly name: string
  readonly secret: string
  start(operator: ServerProcess): Promise<{ server: ServerProcess; players: BenchPlayer[] }>
}

const PEERS: readonly Subject[] = [
  {
    name: 'direct',
    secret: OPERATOR_SECRET,
    start: async () => ({ server: await startOperator(), players: inventPlayers() }),
  },
  { name: 'plain proxy', secret: SECRET, start: startPlainProxy },
]

function gatewayOf(main: string): Subject {
  const name = main === MAIN ? 'gateway' : `gateway ${main}`
  return { name, secret: SECRET, start: (operator) => startGateway(operator, main) }
}

interface GatewayMeasurement {
  readonly name: string
  readonly connections: number
  readonly window: Window
  /** CPU microseconds per bet of the process before the operator. */
  readonly microseconds: number
}

async function measure(subject: Subject): Promise<GatewayMeasurement[]> {
  const operator = await startOperator()
  const { server, players } = await subject.start(operator)
  const measured: GatewayMeasurement[] = []
  for (const connections of CONNECTIONS) {
    const shape = { players, connections, warmupSeconds: WARMUP_SECONDS, seconds: SECONDS }
    const load = { ...shape, host: HOST, ports: [server.port], settles: false, secret: subject.secret }
    const { window, before, after } = await runLoad(load, async () => readProcessSeconds(server.pid))
    if (Object.keys(window.refused).length > 0) throw new Error(`${subject.name}: ${JSON.stringify(window.refused)}`)
    measured.push({ name: subject.name, connections, window, microseconds: ((after - before) / window.accepted) * 1e6 })
  }
  await server.stop()
  await operator.stop()
  return measured
}

/** Each round begins with another subject, since a machine's speed changes during the run. */
async function measureAll({ rounds, mains }: GatewayOptions): Promise<GatewayMeasurement[]> {
  const subjects = [...PEERS, ...mains.map(gatewayOf)]
  const all: GatewayMeasurement[] = []
  for (let round = 0; round < rounds; round++) {
    const first = round % subjects.length
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) all.push(...(await measure(subject)))
  }
  return all
}

function report(all: readonly GatewayMeasurement[]): string {
  const head = ['', 'connections', 'bets/s', 'p50 ms', 'p99 ms', 'µs of its processor, median', 'lowest–highest']
  const names = [...new Set(all.map(({ name }) => name))]
  const rows = CONNECTIONS.flatMap((connections) =>
    names.map((name) => row(all.filter((run) => run.name === name && run.connections === connections))),
  )
  return [line(head), line(head.map(() => '---')), ...rows].join('')
}

function row(runs: readonly GatewayMeasurement[]): string {
  const { name, connections } = runs[0] as GatewayMeasurement
  const of = (figure: (run: GatewayMeasurement) => number) => runs.map(figure).toSorted((a, b) => a - b)
  const median = (figure: (run: GatewayMeasurement) => number) => of(figure)[Math.trunc(runs.length / 2)] as number
  const speed = median(({ window }) => window.accepted / window.seconds)
  const times = [median(({ window }) => window.p50Ms), median(({ window }) => window.p99Ms)]
  const spent = of((run) => run.microseconds).map(Math.trunc)
  const shown = times.map((time) => Math.trunc(time * 100) / 100)
  const range = `${spent[0]}–${spent.at(-1)}`
  const microseconds = Math.trunc(median((run) => run.microseconds))
  return line([name, connections, Math.trunc(speed).toLocaleString('en'), ...shown, microseconds, range])
}

function line(cells: readonly unknown[]): string {
  return `| ${cells.join(' | ')} |\n`
}

try {
  const options = parseGatewayOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(`${GATEWAY_HELP}\n`)
  else {
    process.stdout.write(report(await measureAll(options)))
    process.stdout.write(`${JSON.stringify({ cores: availableParallelism(), node: process.version })}\n`)
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
