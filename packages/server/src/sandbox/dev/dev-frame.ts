/**
 * Betting frames of `purser dev`, one for each player of the tested wallet. The page and the
 * simulated bettors place and decide bets here.
 */
import type { VerdictSum } from '@purser/conformance/verdict/live-verdict'
import { formatMoney, type Money } from '@purser/protocol/values/money'
import type { FrameBetEnding, FrameBetRequest, FramePlacement } from '../frame/frame-bets.ts'
import type { LiveCallLog } from '../wire/live-call-log.ts'
import type { BalanceReads } from './balance-reads.ts'
import type { DevServers } from './dev-servers.ts'
import type { DevPlayer } from './players/dev-player.ts'
import { DEV_TROUBLES, type DevTroubleName } from './troubles/dev-troubles.ts'
import { runTrouble, type TroubleReport } from './troubles/trouble-run.ts'
import type { WalletWatch } from './wallet-watch.ts'

export interface DevFrame {
  state(userId?: string): Promise<object>
  callsSince(after: number): ReturnType<LiveCallLog['since']>
  bet(request: FrameBetRequest & { readonly player?: string | undefined }): Promise<FramePlacement>
  end(betId: string, what: FrameBetEnding): Promise<object>
  runTrouble(name: DevTroubleName, userId?: string): Promise<TroubleReport>
}

export interface DevFrameParts {
  readonly servers: DevServers
  readonly watch: WalletWatch
  readonly balances: BalanceReads
  readonly players: readonly DevPlayer[]
  /** Milliseconds of the trouble that waits a minute. */
  readonly minuteMs: number
}

export function createDevFrame(parts: DevFrameParts): DevFrame {
  const { servers, watch, balances, players, minuteMs } = parts
  const { callLog, judge } = servers
  const find = (userId?: string) => players.find((player) => player.userId === userId) ?? (players[0] as DevPlayer)
  const owners = new Map<string, DevPlayer>()
  const state = async (userId?: string) => buildState(parts, find(userId), judge.sum())
  return {
    state,
    callsSince: (after) => callLog.since(after),
    async bet({ player: userId, ...request }) {
      const player = find(userId)
      const placed = await callLog.withoutDraws(player.userId, () => player.bets.placeWithRetry(request))
      owners.set(placed.betId, player)
      return placed
    },
    async end(betId, what) {
      const player = owners.get(betId) ?? find()
      await callLog.withoutDraws(player.userId, () => player.bets.end(betId, what))
      await balances.settled(player)
      return state(player.userId)
    },
    async runTrouble(name, userId) {
      const player = find(userId)
      await watch.whenUp()
      const report = await runTrouble(DEV_TROUBLES[name], { servers, balances, player, minuteMs })
      for (const betId of report.betIds) owners.set(betId, player)
      return report
    },
  }
}

async function buildState(
  { servers, watch, players }: DevFrameParts,
  player: DevPlayer,
  verdicts: VerdictSum,
): Promise<object> {
  const { userId, currency } = player
  return {
    ...{ player: userId, currency, currencies: [currency], hasFreebets: false, balance: formatBalance(player) },
    players: players.map((one) => ({ userId: one.userId, currency: one.currency, balance: formatBalance(one) })),
    matches: servers.matches.open(),
    bets: await player.bets.describe(),
    wallet: { url: watch.url, isUp: watch.isUp(), sentence: watch.sentence() ?? null },
    troubles: Object.entries(DEV_TROUBLES).map(([name, { title, hint }]) => ({ name, title, hint })),
    verdicts,
  }
}

/** Null if the wallet has no /user/balance. */
export function formatBalance({ balance, scale }: DevPlayer): string | null {
  return balance === undefined ? null : formatMoney(balance as Money, scale)
}
