/**
 * `purser dev`: our platform, bettors and faults against the developer's own wallet, with a verdict
 * on every call.
 */
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import type { EnvironmentVariables } from '../../core/config/config.ts'
import { sleepUntil } from '../bettors/abortable-wait.ts'
import type { ScreenOutput } from '../screen.ts'
import { joinListeners, type LiveCall, type LiveCallListener } from '../wire/live-call-log.ts'
import { type BalanceReads, createBalanceReads } from './balance-reads.ts'
import { serveDevPage } from './dev-api.ts'
import { type DevBettorsDeps, simulateDevBettors } from './dev-bettors.ts'
import { createDevFrame, type DevFrame } from './dev-frame.ts'
import type { DevOptions } from './dev-options.ts'
import { type DevServers, startDevServers } from './dev-servers.ts'
import type { DevPlayer } from './players/dev-player.ts'
import { FirstCallError, loadPlayers } from './players/token-players.ts'
import { playScenario, readScenario } from './scenario.ts'
import { createCallCounts } from './terminal/call-counts.ts'
import { formatCertification } from './terminal/dev-sum.ts'
import { createDevTerminal, type DevTerminal } from './terminal/dev-terminal.ts'
import { createWalletWatch, type WalletWatch } from './wallet-watch.ts'

export interface DevDeps {
  readonly output: ScreenOutput
  readonly noColour: boolean
  readonly env: EnvironmentVariables
  /** Ends the command, which then prints the sum. */
  readonly signal: AbortSignal
  /** True if a person watches. The person may repair and restart the wallet. */
  readonly isInteractive: boolean
  /** Milliseconds of the trouble that waits a minute; tests shorten it. */
  readonly minuteMs?: number
}

const MINUTE_MS = 60_000
const MS_PER_SECOND = 1_000

/** Resolves to the exit code. */
export async function runDev(options: DevOptions, deps: DevDeps): Promise<number> {
  const closers: (() => Promise<void>)[] = []
  const terminal = createDevTerminal({ ...deps, isJson: options.isJson })
  try {
    return await runDevSession(options, deps, terminal, (close) => closers.push(close))
  } catch (error) {
    if (!(error instanceof FirstCallError)) throw error
    terminal.note(`${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`)
    return EXIT_CODES.findings
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function runDevSession(
  options: DevOptions,
  deps: DevDeps,
  terminal: DevTerminal,
  closing: (close: () => Promise<void>) => void,
): Promise<number> {
  const { walletUrl, scenario, duration, wait, sources, bettors, port } = options
  const { signal, env, minuteMs = MINUTE_MS } = deps
  const steps = scenario === undefined ? undefined : readScenario(scenario)
  let lastNote: string | undefined
  const note = (sentence: string) => {
    lastNote = sentence
    terminal.note(sentence)
  }
  const watch = createWalletWatch({ url: walletUrl, note })
  closing(async () => watch.stop())
  const profileCalls = new Map<string, LiveCall>()
  let servers: DevServers | undefined
  const balances = createBalanceReads(() => (servers as DevServers).ownCalls, terminal.note)
  const counts = createCallCounts()
  const listener = joinListeners([
    balances.listener,
    counts.listener,
    terminal.listener,
    watchUnreachable(watch),
    { ended: (call) => void recordProfileCall(profileCalls, call) },
  ])
  servers = await startDevServers(options, env, listener, closing)
  let frame: DevFrame | undefined
  const page = await serveDevPage(port, { frame: () => frame, waitingReason: () => lastNote })
  closing(() => page.close())
  terminal.note(`The page is at ${page.url}/`)
  const waitsForPerson = deps.isInteractive && scenario === undefined && duration === 0
  const waitMs = wait * MS_PER_SECOND
  await watch.requireUp(waitsForPerson ? Number.POSITIVE_INFINITY : waitMs, signal)
  const findProfileCall = (token: string) => profileCalls.get(token)
  const loading = { servers, watch, findProfileCall, note, waitsForPerson, waitMs, signal }
  const players = await loadPlayers(sources, Math.max(1, bettors), loading)
  if (players.length > 0) {
    for (const player of players) await balances.add(player)
    terminal.note(describePlayers(players, balances))
    if (steps === undefined) terminal.note(adviseNextStep(options, page.url))
    const session = { servers, watch, balances, players, minuteMs, note: terminal.note }
    frame = createDevFrame(session)
    if (steps === undefined) await playUntilEnd(session, options, signal)
    else await playScenario(steps, { ...session, ownCalls: servers.ownCalls, signal })
  }
  const sum = servers.judge.sum()
  const hasBalances = balances.isAvailable()
  terminal.sum(sum, { ...counts.read(), hasBalances }, formatCertification(options))
  if (steps !== undefined && signal.aborted) return EXIT_CODES.interrupted
  const { placeBets, acceptedBets } = counts.read()
  const hasShownNothing = steps === undefined && placeBets > 0 && acceptedBets === 0
  return sum.wrong > 0 || hasShownNothing ? EXIT_CODES.findings : 0
}

/** Longest wait at the end for calls in progress. */
const DRAIN_MS = 10_000

/**
 * Plays until the duration is over or the signal comes, and then finishes the calls in progress.
 */
async function playUntilEnd(
  session: DevBettorsDeps,
  { bettors, faults, seed, duration }: DevOptions,
  signal: AbortSignal,
): Promise<void> {
  const { network } = session.servers
  const stop = new AbortController()
  const end = AbortSignal.any([signal, stop.signal])
  const playing = bettors > 0 ? simulateDevBettors(session, { bettors, faults, seed, signal: end }) : undefined
  await sleepUntil(duration === 0 ? Number.POSITIVE_INFINITY : Date.now() + duration * MS_PER_SECOND, signal)
  stop.abort()
  network.disableFaults()
  const timer = new AbortController()
  const drained = Promise.all([playing, network.idle()]).then(() => timer.abort())
  await Promise.race([drained, sleepUntil(Date.now() + DRAIN_MS, timer.signal)])
}

function watchUnreachable(watch: WalletWatch): LiveCallListener {
  return {
    ended(call) {
      if (call.request === undefined && call.answer?.kind === 'none') watch.reportUnreachable(call.answer.why)
    },
  }
}

/** The body of a call that reached the wallet has its token. */
function recordProfileCall(calls: Map<string, LiveCall>, call: LiveCall): void {
  if (call.operation === 'profile') calls.set(call.token ?? '', call)
}

/** Players whom the terminal names. */
const MAX_NAMED = 6

function describePlayers(players: readonly DevPlayer[], balances: BalanceReads): string {
  const names = players.slice(0, MAX_NAMED).map(({ userId, currency }) => `${userId} (${currency})`)
  const list = `${names.join(', ')}${players.length > MAX_NAMED ? ', …' : ''}`
  const who = players.length === 1 ? `The player is ${list}.` : `${players.length} players are ready: ${list}.`
  return balances.isAvailable() ? who : `${who} Balances are unknown.`
}

function adviseNextStep({ bettors, faults, duration }: DevOptions, pageUrl: string): string {
  const end = duration === 0 ? 'Ctrl-C prints the sum.' : `The sum follows after ${duration} s, or Ctrl-C prints it.`
  if (bettors === 0)
    return `Open ${pageUrl}/ to place a bet or to cause a trouble, or start the command with --bettors 5. ${end}`
  const who = bettors === 1 ? 'One bettor plays' : `${bettors} bettors play`
  return `${who} with these players, with --faults ${faults}. ${end}`
}
