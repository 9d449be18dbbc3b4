// The command line of the delivery bench.
import { positive, readArguments, UsageError } from '../arguments.ts'

export { UsageError }

/** What can be measured beside `alone`, which everything is compared with. */
export const ROWS = ['result to last', 'dead port', 'hanging port'] as const
export type Row = (typeof ROWS)[number]

export interface Options {
  rows: readonly Row[]
  json: boolean
  rounds: number
  seconds: number
  warmupSeconds: number
  /** Of each partner: the half that can be delivered and the half that cannot. */
  half: number
}

export const HELP = `npm run bench:deliver -- --rounds 1 --seconds 4     a quick look
npm run bench:deliver -- --json > deliver.json       for a machine

How many settles per second a platform delivers into our own wallet, alone and while as many deliveries to another
partner cannot be delivered. Exit code 0: within 20 % of its rate alone and all money right, 1: not, 2: wrong use.

  --rounds N    measured windows per situation, interleaved (3)
  --seconds N   length of one (8)
  --warmup N    seconds of delivery before each (2)
  --half N      waiting deliveries of each of the two partners (50000)
  --only ROW    of 'result to last', 'dead port', 'hanging port'; may be given several times (all)
  --json        the result as JSON on stdout

The database lies below TMPDIR, which must be on a disk.`

export function readOptions(args: string[]): Options | 'help' {
  const { values } = parsed(args)
  if (values.help) return 'help'
  return {
    json: values.json,
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    warmupSeconds: positive('warmup', values.warmup),
    half: positive('half', values.half),
    rows: values.only === undefined ? ROWS : values.only.map(toRow),
  }
}

function toRow(name: string): Row {
  const row = ROWS.find((known) => known === name)
  if (row === undefined) throw new UsageError(`--only must be one of ${ROWS.join(', ')}, not ${name}`)
  return row
}

function parsed(args: string[]) {
  return readArguments(args, {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '2' },
    half: { type: 'string', default: '50000' },
    only: { type: 'string', multiple: true },
  })
}
