import { resolve } from 'node:path'
import { parseArguments, parsePositive } from '../arguments.ts'
import { MAIN } from '../subjects.ts'

export interface PlaceOptions {
  /** The `packages/server/dist/main.js` of this build, and of the builds to compare it with. */
  mains: string[]
  rounds: number
  seconds: number
  warmupSeconds: number
  connections: number
  events: number
  /** Sets limits that need sums over the bets of an event. */
  hasLimits: boolean
}

export const PLACE_HELP = `npm run bench:place -- --rounds 3
npm run bench:place -- --with ../before/packages/server/dist/main.js

How many POST /bets per second a platform places with a partner that answers at once, and what each costs. Exit code 0: every bet was
accepted and the audit is clean, 1: not, 2: wrong use.

  --rounds N        measured windows per build, interleaved; the median is shown (1)
  --seconds N       length of one (5)
  --warmup N        seconds of unmeasured load before each (4)
  --connections N   users who each place one bet after another (128)
  --events N        on how many events the bets are (100)
  --limits          with limits over all bets of an event, which bind nobody
  --with FILE       the main.js of another build, measured in turn with this one; can stand several times
  --help

The database lies below TMPDIR, which must be on a disk.`

export function parsePlaceOptions(args: string[]): PlaceOptions | 'help' {
  const { values } = parseArguments(args, {
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '4' },
    connections: { type: 'string', default: '128' },
    events: { type: 'string', default: '100' },
    limits: { type: 'boolean', default: false },
    with: { type: 'string', multiple: true, default: [] },
  })
  if (values.help) return 'help'
  return {
    mains: [MAIN, ...values.with.map((file) => resolve(file))],
    rounds: parsePositive('rounds', values.rounds),
    seconds: parsePositive('seconds', values.seconds),
    warmupSeconds: parsePositive('warmup', values.warmup),
    connections: parsePositive('connections', values.connections),
    events: parsePositive('events', values.events),
    hasLimits: values.limits,
  }
}
