import { parseArguments, parsePositive, UsageError } from '../arguments.ts'

export { UsageError }

export const OVERLOAD_SERVERS = ['wallet', 'gateway'] as const
export type ServerName = (typeof OVERLOAD_SERVERS)[number]

export interface OverloadOptions {
  json: boolean
  server: ServerName
  connections: number
  depth: number
  seconds: number
  players: number
  /** Folder of another build. */
  against: string | undefined
  /** Milliseconds that each answer of Postgres is delayed. */
  slow: number
}

export const OVERLOAD_HELP = `npm run bench:overload -- --seconds 10                          a quick look
npm run bench:overload -- --connections 10000
npm run bench:overload -- --server gateway

Many more calls than a server can take. Exit code 0: it shed the rest in time and all money is right, 1: not, 2: wrong use.

  --server NAME      wallet or gateway (wallet)
  --connections N    connections (2000)
  --depth N          Place bets that each of them keeps waiting for an answer (1)
  --seconds N        length of the overload (60)
  --players N        players the bets are spread over (2000)
  --against DIR      first measures the wallet that is built in DIR
  --slow MS          the wallet's database answers MS milliseconds later (0)
  --json             the result as JSON on stdout

The database lies below TMPDIR, which must be on a disk. Needs a file descriptor for each connection, twice.`

export function parseOverloadOptions(args: string[]): OverloadOptions | 'help' {
  const { values } = parsed(args)
  if (values.help) return 'help'
  const server = OVERLOAD_SERVERS.find((name) => name === values.server)
  if (server === undefined) throw new UsageError(`--server must be one of ${OVERLOAD_SERVERS.join(', ')}`)
  return {
    json: values.json,
    server,
    connections: parsePositive('connections', values.connections),
    depth: parsePositive('depth', values.depth),
    seconds: parsePositive('seconds', values.seconds),
    players: parsePositive('players', values.players),
    against: values.against,
    slow: Math.max(0, Math.trunc(+values.slow)),
  }
}

function parsed(args: string[]) {
  return parseArguments(args, {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    server: { type: 'string', default: 'wallet' },
    connections: { type: 'string', default: '2000' },
    depth: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    players: { type: 'string', default: '2000' },
    against: { type: 'string' },
    slow: { type: 'string', default: '0' },
  })
}
