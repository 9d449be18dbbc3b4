/**
 * Scenario of `npm run faults`: the day changes while bets are placed.
 *
 * One of two wallets at a time restarts, with its clock a few seconds before the same midnight. So
 * the day of this wallet changes repeatedly, while the day of the other wallet has already changed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { WalletProcess } from '../support/spawned-wallet.ts'
import { again, databaseIn, newPostgres, newWallet, play, type Stage, sameAs, type Tally } from './stage.ts'

const DAY_MS = 86_400_000
/** Milliseconds from the start of a process to its midnight, by which it must be ready. */
const BEFORE_MS = 4_000

export async function midnight(stage: Stage): Promise<Tally> {
  const postgres = await newPostgres(stage)
  const settings = { DATABASE_URL: databaseIn(postgres.url) }
  const at = Math.ceil(Date.now() / DAY_MS) * DAY_MS
  const begin = (others: Record<string, string>) => newWallet(stage, { ...settings, ...others, ...clockBefore(at) })
  const first = await begin({})
  const second = await begin({ ...sameAs(first), PORT: '0' })
  const now = [first, second]
  const fault = async () => {
    const which = stage.random.below(2)
    const wallet = now[which] as WalletProcess
    await wallet.kill('SIGTERM')
    now[which] = await begin(sameAs(wallet))
    await sleep(BEFORE_MS + stage.random.below(1_000))
  }
  return play(stage, {
    ...{ wallets: [first, second], asked: () => now[0] ?? first },
    attack: (betting) => again(stage, betting, fault),
  })
}

/** Code that a process loads first, and that moves its clock ahead. */
function clockBefore(midnight: number): Record<string, string> {
  const ahead = midnight - BEFORE_MS - Date.now()
  const code = `const { now } = Date
globalThis.Date = class extends Date {
  constructor(...given) { given.length > 0 ? super(...given) : super(now() + ${ahead}) }
  static now() { return now() + ${ahead} }
}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}
