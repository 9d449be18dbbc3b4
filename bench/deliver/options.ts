import { resolve } from 'node:path'
import { parseArguments, parsePositive, UsageError } from '../arguments.ts'
import { MAIN } from '../subjects.ts'

export { UsageError }

/** Situations to measure in addition to `alone` (one reachable partner), the reference. */
export const DELIVER_ROWS = ['result to last', 'dead port', 'hanging port'] as const
export type DeliverRow = (typeof DELIVER_ROWS)[number]

export interface DeliverOptions {
  rows: readonly DeliverRow[]
  json: boolean
  rounds: number
  seconds: number
  warmupSeconds: number
  /** Deliveries for each of the two partners. */
  half: number
  /**
   * Settles whose cost is measured, and bets in the final. If one is given, only these are
   * measured.
   */
  cost?: number
  final?: number
  /** The `packages/server/dist/main.js` of each build for cost and final. */
  mains: string[]
}

export const DELIVER_HELP = `npm run bench:deliver -- --rounds 1 --seconds 4     a quick look
npm run bench:deliver -- --json > deliver.json       for a machine
npm run bench:deliver -- --cost 100000 --with ../before/packages/server/dist/main.js
npm run bench:deliver -- --final 1000000 --rounds 1

How many settles per second a platform delivers into our own wallet, alone and while as many deliveries to another
partner cannot be delivered. Exit code 0: within 20 % of its rate alone and all money right, 1: not, 2: wrong use.

  --rounds N    measured windows per situation, interleaved (3)
  --seconds N   length of one (8)
  --warmup N    seconds of delivery before each (2)
  --half N      waiting deliveries of each of the two partners (50000)
  --only ROW    of 'result to last', 'dead port', 'hanging port'; may be given several times (all)
  --cost N      only this: processor time and WAL of N settles that are due, to a partner that answers at once
  --final N     only this: one event with N bets; the first and the last settle, and another partner's rollbacks meanwhile
  --with FILE   the main.js of another build, measured in turn with this one (--cost, --final)
  --json        the result as JSON on stdout

The database lies below TMPDIR, which must be on a disk.`

export function parseDeliverOptions(args: string[]): DeliverOptions | 'help' {
  const { values } = parsed(args)
  if (values.help) return 'help'
  return {
    json: values.json,
    rounds: parsePositive('rounds', values.rounds),
    seconds: parsePositive('seconds', values.seconds),
    warmupSeconds: parsePositive('warmup', values.warmup),
    half: parsePositive('half', values.half),
    rows: values.only === undefined ? DELIVER_ROWS : values.only.map(toRow),
    ...(values.cost !== undefined && { cost: parsePositive('cost', values.cost) }),
    ...(values.final !== undefined && { final: parsePositive('final', values.final) }),
    mains: [MAIN, ...values.with.map((file) => resolve(file))],
  }
}

function toRow(name: string): DeliverRow {
  const row = DELIVER_ROWS.find((known) => known === name)
  if (row === undefined) throw new UsageError(`--only must be one of ${DELIVER_ROWS.join(', ')}, not ${name}`)
  return row
}

function parsed(args: string[]) {
  return parseArguments(args, {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '2' },
    half: { type: 'string', default: '50000' },
    only: { type: 'string', multiple: true },
    cost: { type: 'string' },
    final: { type: 'string' },
    with: { type: 'string', multiple: true, default: [] },
  })
}
