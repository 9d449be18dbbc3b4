// What a gateway costs: the same load on an operator directly, through a plain proxy, and through the gateway. README.md
// beside this file says how to read it.
import { availableParallelism } from 'node:os'
import type { Window } from '../generator.ts'
import type { BenchPlayer } from '../place-bet.ts'
import { processSeconds } from '../processor-time.ts'
import { runLoad } from '../run-load.ts'
import { HOST, type ServerProcess } from '../server-process.ts'
import { SECRET } from '../subjects.ts'
import { inventedPlayers, OPERATOR_SECRET, startGateway, startOperator, startPlainProxy } from './servers.ts'

const WARMUP_SECONDS = 2
const SECONDS = 3
/** Many: what the machine can do. Few: what one call takes; last, when every server is warm. */
const CONNECTIONS = [128, 4]

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
