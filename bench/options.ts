// The command line of the comparison.
import { positive, readArguments, UsageError } from './arguments.ts'

export { UsageError }

export interface Options {
  json: boolean
  rounds: number
  seconds: number
  warmupSeconds: number
  connections: number
  players: number
  plainPool: number
  only: string[]
}

export const HELP = `npm run bench -- --seconds 4 --rounds 1     a quick look
npm run bench -- --json > bench.json        for a machine

Compares three servers on one machine in one run: purser, a plain server with one transaction per request, and one
that only verifies the signature. Exit code 0: fast enough and all money right, 1: not, 2: wrong use.

  --rounds N        measured windows per server, interleaved (3)
  --seconds N       length of one (8)
  --warmup N        seconds of unmeasured load before each (8)
  --connections N   keep-alive connections, one request at a time on each (128)
  --players N       players the bets are spread over (2000)
  --plain-pool N    database connections of the plain server (20)
  --only LIST       some of purser,plain,signature-only (all)
  --json            the result as JSON on stdout

The database lies below TMPDIR, which must be on a disk.`

export function readOptions(args: string[]): Options | 'help' {
  const { values } = parsed(args)
  if (values.help) return 'help'
  return {
    json: values.json,
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    warmupSeconds: positive('warmup', values.warmup),
    connections: positive('connections', values.connections),
    players: positive('players', values.players),
    plainPool: positive('plain-pool', values['plain-pool']),
    only: values.only.split(','),
  }
}

function parsed(args: string[]) {
  return readArguments(args, {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '8' },
    connections: { type: 'string', default: '128' },
    players: { type: 'string', default: '2000' },
    'plain-pool': { type: 'string', default: '20' },
    only: { type: 'string', default: 'purser,plain,signature-only' },
  })
}
