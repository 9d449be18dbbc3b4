/**
 * Simulates that a wallet loses its server and continues on an older backup of its database.
 *
 * The simulation's auditor also forgets what it has learned since that backup. Invariant: `purser
 * reconcile` names each bet whose acknowledged state is lost.
 */

import type { MarketPlayer, Participants } from '../actors/market-participants.ts'
import type { Market, Stores } from '../market.ts'
import type { WireSnapshot } from '../network/wire-watch.ts'
import { type CurrencyAmounts, MARKET_CURRENCIES } from '../oracle/market-money.ts'
import { checkReconcileFindings } from '../oracle/reconcile-check.ts'
import type { Scenario } from '../scenario.ts'

export interface BackupControl {
  backUp(): void
  /** Without `downMs` the process continues, with the older database. */
  restore(downMs: number | undefined): void
}

interface Backup {
  putBack(): Promise<void>
  readonly wire: WireSnapshot
  readonly cash: ReadonlyMap<MarketPlayer, CurrencyAmounts>
}

/**
 * A backup waits until no movement of money is in progress; otherwise its content would be unknown.
 */
const AGAIN_MS = 1_000

export function createBackups(
  market: Market,
  stores: Stores,
  scenario: Scenario,
  participants: Participants,
): BackupControl {
  const { world, trace } = market
  const players = participants.players.filter(({ wallet }) => wallet === 'wallet')
  let last: Backup | undefined
  const make = async () => {
    const cash = new Map(players.map((player) => [player, { ...player.cash }]))
    const wire = market.wire('wallet').keep()
    last = { putBack: await stores.wallet.backup(), wire, cash }
    trace.note('a backup of the wallet is made')
  }
  const lose = async ({ putBack, wire, cash }: Backup, downMs: number | undefined) => {
    if (downMs !== undefined) market.kill('wallet', { downMs })
    await putBack()
    market.wire('wallet').restored(wire)
    // A movement without an answer is requested again.
    for (const player of players)
      for (const currency of MARKET_CURRENCIES)
        player.cash[currency] = (cash.get(player)?.[currency] ?? 0n) + player.moving[currency]
    participants.restored.add('wallet')
    const how = downMs === undefined ? 'lives on' : 'dies'
    trace.note(`a backup of the wallet is put back, and its process ${how}`)
    trace.mark(`a backup is put back while things go wrong, and the process ${how}`)
    const { lost, complaints } = await checkReconcileFindings(stores, scenario, participants, market.names, 'under way')
    if (lost > 0) trace.mark('what a backup has lost is named at once')
    participants.misnamed.push(...complaints)
  }
  const backUp = (): void => {
    if (participants.isOver) return
    if (players.some(({ moving }) => MARKET_CURRENCIES.some((currency) => moving[currency] !== 0n)))
      world.after(AGAIN_MS, backUp)
    else market.meanwhile(make())
  }
  return {
    backUp,
    restore(downMs) {
      if (last !== undefined && !participants.isOver) market.meanwhile(lose(last, downMs))
    },
  }
}
