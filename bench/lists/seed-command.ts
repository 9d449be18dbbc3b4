// `npm run seed` writes millions of bets into DATABASE_URL, which the audit accepts. See
// bench/README.md.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { parseArguments, parsePositive } from '../arguments.ts'
import { MAIN } from '../subjects.ts'
import { SEED_PLAYERS, seedDatabase } from './seed.ts'

const DAY_MS = 86_400_000
const HELP = `DATABASE_URL=postgres://owner@… npm run seed -- --bets 10000000 --players 100000

Writes a day of bets into a database without players, for measurements. Never into one that is in use: it drops and makes indexes.`

const { values } = parseArguments(process.argv.slice(2), {
  bets: { type: 'string', default: '1000000' },
  players: { type: 'string', default: `${SEED_PLAYERS}` },
  help: { type: 'boolean', default: false },
})
const say = (line: string) => void process.stderr.write(`${line}\n`)
const { DATABASE_URL } = process.env
if (values.help || DATABASE_URL === undefined) {
  say(HELP)
  process.exit(values.help ? 0 : 2)
}
await promisify(execFile)(process.execPath, [MAIN, 'migrate'], { env: process.env })
const client = new pg.Client(DATABASE_URL)
await client.connect()
const { rows } = await client
  .query('select exists (select from purser.player) as has_players')
  .finally(() => client.end())
if (rows[0].has_players) {
  say('this database has players already')
  process.exit(2)
}
const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
await seedDatabase(
  DATABASE_URL,
  { bets: parsePositive('bets', values.bets), players: parsePositive('players', values.players), day },
  say,
)
