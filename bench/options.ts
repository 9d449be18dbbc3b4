import { parseArguments, parsePositive, UsageError } from './arguments.ts'

export { UsageError }

export interface BenchOptions {
  json: boolean
  /** File name for the chart. */
  chart: string | undefined
  rounds: number
  seconds: number
  warmupSeconds: number
  connections: number
  shape: ShapeName
  /** The shape's number, unless given. */
  players: number
  plainPool: number
  only: string[]
  against: string | undefined
  /** Counts statements and round trips in an extra run. */
  counts: boolean
  /** Share of purser's calls per second at which the open loop measures latencies; 0 skips it. */
  openShare: number
}

export const BENCH_HELP = `npm run bench -- --seconds 4 --rounds 1     a quick look
npm run bench -- --json > bench.json        for a machine
npm run bench -- --against ../before        also the build in another checkout, which is to be beaten

Compares three servers on one machine in one run: purser, a plain server with one transaction per request, and one
that only verifies the signature. Exit code 0: fast enough and all money right, 1: not, 2: wrong use.

  --shape NAME      production: two processes, Place bet and Settle 1:1, 100,000 players (default)
                    laboratory: one process, Place bets only, 2,000 players
  --rounds N        measured windows per server, interleaved (3)
  --seconds N       length of one (8)
  --warmup N        seconds of unmeasured load before each (15)
  --connections N   keep-alive connections, one request at a time on each (128)
  --players N       players the bets are spread over (the shape's)
  --plain-pool N    database connections of the plain server (20)
  --only LIST       some of purser,no-journal,before,plain,signature-only (all but no-journal);
                    port-1,port-2,port-4: so many processes behind one port
  --against DIR     a folder in which another version of purser is built
  --open SHARE      open loop at this share of purser's calls per second, for its latencies; 0: none (0.5)
  --uncounted       without the run that counts statements and round trips
  --json            the result as JSON on stdout
  --chart FILE      processor time per call as bars, in an SVG

The database lies below TMPDIR, which must be on a disk.`

export const SHAPES = {
  production: { processes: 2, settles: true, players: 100_000 },
  laboratory: { processes: 1, settles: false, players: 2_000 },
} as const
export type ShapeName = keyof typeof SHAPES

function isShape(name: string): name is ShapeName {
  return Object.hasOwn(SHAPES, name)
}

export function parseBenchOptions(args: string[]): BenchOptions | 'help' {
  const { values } = parsed(args)
  if (values.help) return 'help'
  const { shape } = values
  if (!isShape(shape)) throw new UsageError(`--shape must be production or laboratory, not ${shape}`)
  return {
    json: values.json,
    chart: values.chart,
    rounds: parsePositive('rounds', values.rounds),
    seconds: parsePositive('seconds', values.seconds),
    warmupSeconds: parsePositive('warmup', values.warmup),
    connections: parsePositive('connections', values.connections),
    shape,
    players: parsePositive('players', values.players ?? `${SHAPES[shape].players}`),
    plainPool: parsePositive('plain-pool', values['plain-pool']),
    only: values.only.split(','),
    against: values.against,
    counts: !values.uncounted,
    openShare: +values.open,
  }
}

function parsed(args: string[]) {
  return parseArguments(args, {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    chart: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '15' },
    connections: { type: 'string', default: '128' },
    shape: { type: 'string', default: 'production' },
    players: { type: 'string' },
    against: { type: 'string' },
    open: { type: 'string', default: '0.5' },
    uncounted: { type: 'boolean', default: false },
    'plain-pool': { type: 'string', default: '20' },
    only: { type: 'string', default: 'purser,before,plain,signature-only' },
  })
}
