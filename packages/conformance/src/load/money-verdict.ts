/**
 * Verdict on the money: compares each player's expected balance with the balance in the wallet.
 * Pure.
 */
import { groupBy } from '@purser/runtime/group'
import type { LoadPlayer } from './player.ts'
import type { UnresolvedCall } from './worker/worker-task.ts'

/**
 * `undecided`: the money of a call is in doubt, a balance cannot be read, or no money was moved.
 */
export type MoneyVerdict = 'right' | 'wrong' | 'undecided'

export interface PlayerMoney {
  readonly player: LoadPlayer
  readonly verdict: MoneyVerdict
  /** Minor units. */
  readonly before: bigint
  readonly expected: bigint
  /** A text is the reason why the balance is unknown. */
  readonly actual: bigint | string
  readonly open: readonly UnresolvedCall[]
}

export interface LoadBalances {
  readonly before: readonly bigint[]
  readonly after: readonly (bigint | string)[]
}

export function judgePlayerMoney(
  players: readonly LoadPlayer[],
  { before, after }: LoadBalances,
  moved: ReadonlyMap<number, bigint>,
  open: readonly UnresolvedCall[],
): PlayerMoney[] {
  const openOf = groupBy(open, ({ player }) => player)
  return players.map((player, i) => {
    const had = before[i] ?? 0n
    const found = {
      before: had,
      expected: had + (moved.get(i) ?? 0n),
      actual: after[i] ?? 'not read',
      open: openOf.get(i) ?? [],
    }
    return { player, ...found, verdict: judgeMoney(found) }
  })
}

/** While a call is in doubt, even the expected balance proves nothing. */
function judgeMoney({ expected, actual, open }: Pick<PlayerMoney, 'expected' | 'actual' | 'open'>): MoneyVerdict {
  if (open.length > 0 || typeof actual === 'string') return 'undecided'
  return actual === expected ? 'right' : 'wrong'
}

/**
 * One wrong balance makes the verdict wrong. Without an accepted Place bet, equal balances prove
 * nothing.
 */
export function judgeAllMoney(players: readonly PlayerMoney[], placed: number): MoneyVerdict {
  if (players.some(({ verdict }) => verdict === 'wrong')) return 'wrong'
  return placed === 0 || players.some(({ verdict }) => verdict === 'undecided') ? 'undecided' : 'right'
}

const RANKS: Readonly<Record<MoneyVerdict, number>> = { wrong: 0, undecided: 1, right: 2 }

export function sortWorstFirst(players: readonly PlayerMoney[]): PlayerMoney[] {
  return players.toSorted((a, b) => RANKS[a.verdict] - RANKS[b.verdict])
}
