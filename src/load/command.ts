/**
 * `purser load`: players, their balances, the load, what it has left open, their balances again. The verdict on the money is the exit
 * code; a load that was interrupted has one too.
 */
import { systemClock } from '../runtime/clock.ts'
import { printableLines } from '../runtime/printable.ts'
import { reportFileOf, writeReport } from '../runtime/report-file.ts'
import { createWalletClient } from '../wallet-client/wallet-client.ts'
import { readBalances, readFirstBalances } from './balances.ts'
import { together, work } from './crew.ts'
import type { Driven, Task } from './drive.ts'
import { htmlReport } from './html.ts'
import { liveOn, type Terminal } from './live.ts'
import { type LoadFlags, type LoadOptions, type PlayersFrom, readLoadOptions, stakesFor } from './options.ts'
import type { Player } from './player.ts'
import { readPlayersFile } from './players-file.ts'
import { madePlayer, makePlayers } from './players-made.ts'
import { jsonReport, type LoadReport, reportOf } from './report.ts'
import { coloured, plain, textOf } from './text.ts'
import { judgePlayers, worstFirst } from './verdict.ts'

export interface LoadDeps {
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly noColour: boolean
  readonly signal: AbortSignal
  readonly env: NodeJS.ProcessEnv
}

/** As the other commands; `interrupted` before there was anything to judge. */
const EXIT = { right: 0, wrong: 1, undecided: 1, interrupted: 130 } as const
const WRITERS = { html: htmlReport, json: jsonReport }
/** Parts of the time that the page shows. */
const MAX_INTERVALS = 600
const MS_PER_SECOND = 1_000

/** Resolves to the exit code. */
export async function runLoad(flags: LoadFlags, deps: LoadDeps): Promise<number> {
  const options = await readLoadOptions(flags, deps.env)
  const files = (flags.report ?? []).map((file) => reportFileOf(WRITERS, file))
  const report = await loadAndJudge(options, deps)
  if (report === undefined) return EXIT.interrupted
  const paint = deps.stdout.isTTY && !deps.noColour ? coloured : plain
  deps.stdout.write(flags.json ? printableLines(jsonReport(report)) : textOf(report, paint))
  for (const file of files) writeReport(file, report, { ...deps, isPrinted: flags.json === true })
  return EXIT[report.money]
}

async function loadAndJudge(options: LoadOptions, { stderr, signal }: LoadDeps): Promise<LoadReport | undefined> {
  const { baseUrl, secrets, headers, workers } = options
  const live = liveOn(stderr, workers)
  const given = await givenPlayers(options.players)
  const stakes = stakesFor(options.stake, given)
  live.say('players and their balances…')
  const client = createWalletClient({ baseUrl, secrets, headers, part: 'load' })
  try {
    const { players: from } = options
    const players = from.kind === 'file' ? given : await makePlayers(from, from.count, signal)
    const before = signal.aborted ? [] : await readFirstBalances(client, players)
    if (signal.aborted) return undefined
    const startedAt = systemClock.now()
    const intervalMs = Math.ceil(options.durationMs / MAX_INTERVALS / MS_PER_SECOND) * MS_PER_SECOND
    const driven = await load({ ...options, players, stakes, intervalMs }, live.tick, signal)
    live.say('balances…')
    const after = await readBalances(client, players)
    const judged = worstFirst(judgePlayers(players, { before, after }, driven.moved, driven.open))
    const wasInterrupted = signal.aborted && driven.loadMs < options.durationMs
    return reportOf({ options, startedAt, intervalMs, driven, players: judged, wasInterrupted })
  } finally {
    live.end()
    await client.close()
  }
}

/** Of a file they are read before any call; of those that are made, the first stands for all that is alike. */
async function givenPlayers(from: PlayersFrom): Promise<readonly Player[]> {
  return from.kind === 'file' ? readPlayersFile(from.path) : [madePlayer('', '')]
}

type Plan = Omit<LoadOptions, 'players'> & Pick<Task, 'players' | 'stakes' | 'intervalMs'>

async function load(plan: Plan, onTick: Parameters<typeof work>[1], stop: AbortSignal): Promise<Driven> {
  const { rate, durationMs, workers, connections } = plan
  const tasks = Array.from({ length: workers }, (_, worker): Task => {
    const mine = Math.floor(connections / workers)
    return { ...plan, schedule: { rate, durationMs, worker, workers, connections: mine } }
  })
  const driven = together(await work(tasks, onTick, stop))
  if (driven === undefined) throw new Error('a load without workers')
  return driven
}
