/**
 * Restores the balance that a leased player had at the start of a case.
 *
 * Open bets are rolled back, and one more bet wins or loses the difference. After a failed case the
 * balance is read first. Without this, every failed case would make its players unusable.
 */

import { type CasePlay, createKitCaller, listHolders } from '../case/call-plan.ts'
import { placeStep, rollbackStep, settleStep } from '../case/step-builders.ts'
import type { FixturePlayer } from '../players/player-fixtures.ts'
import { interpretAnswer } from './answer-meaning.ts'
import type { BalanceHolder } from './balance-reader.ts'
import { netEffect } from './expected-books.ts'

/** Omits players whose balance is unknown. */
export async function restoreBalances(play: CasePlay, isAsExpected: boolean): Promise<FixturePlayer[]> {
  const back: FixturePlayer[] = []
  for (const [key, holder] of listHolders(play)) {
    if (!holder.isCurrent) continue
    const balance = await restoreBalance(play, key, holder, isAsExpected)
    if (typeof balance === 'bigint') back.push({ ...holder.player, balance, isSeen: true })
  }
  return back
}

async function restoreBalance(
  play: CasePlay,
  key: string,
  holder: BalanceHolder,
  isAsExpected: boolean,
): Promise<bigint | string> {
  const find = (near: bigint) => play.target.reader.find(holder, near, createKitCaller(play))
  await rollBackOpenBets(play, key, holder)
  const expected = play.books.balances.get(key) ?? 0n
  const now = isAsExpected ? expected : await find(expected)
  if (typeof now === 'string') return now
  const target = holder.player.balance ?? now
  if (await winOrLose(play, holder, target - now)) return find(target)
  const left = now - (await loseWins(play, key, holder))
  if (left !== now && (await winOrLose(play, holder, target - left))) return find(target)
  // The wallet rejected this bet, so it would also reject a bet of the whole balance. A later case
  // would count that as a fault.
  return left > 2n * target ? 'the player has won more than can be lost again' : find(left)
}

/** A win may exceed the largest stake of the operator. Returns the amount that was taken back. */
async function loseWins(play: CasePlay, key: string, holder: BalanceHolder): Promise<bigint> {
  let taken = 0n
  for (const [name, { paid, balanceKey }] of play.books.bets) {
    if (balanceKey !== key || paid <= (holder.player.balance ?? 0n)) continue
    const [, alias = ''] = name.split('/')
    const answer = interpretAnswer(
      await createKitCaller(play)(settleStep('lost', '0'), holder, 0n, play.betIds.get(alias)),
    )
    if (answer.kind === 'accepted') taken += paid
  }
  return taken
}

/**
 * Only bets of the last round have a known id. Older bets are closed, or remain in the difference.
 */
async function rollBackOpenBets(play: CasePlay, key: string, holder: BalanceHolder): Promise<void> {
  const open = [...play.books.bets].filter(
    ([, bet]) => bet.balanceKey === key && bet.resultType === undefined && bet.stake > 0n,
  )
  for (const [name, bet] of open) {
    const [, alias = ''] = name.split('/')
    const betId = play.betIds.get(alias)
    const answer = interpretAnswer(await createKitCaller(play)(rollbackStep(), holder, bet.stake, betId))
    if (answer.kind !== 'accepted') continue
    const balances = new Map(play.books.balances)
    balances.set(key, (balances.get(key) ?? 0n) - netEffect(bet))
    play.books = { ...play.books, balances }
  }
}

/** A stake of one minor unit wins a missing amount. A stake of the surplus is lost. */
async function winOrLose(play: CasePlay, holder: BalanceHolder, missing: bigint): Promise<boolean> {
  if (missing === 0n) return true
  const [stake, payout] = missing > 0n ? [1n, missing + 1n] : [-missing, 0n]
  const sendCall = createKitCaller(play)
  const betId = crypto.randomUUID()
  const placed = interpretAnswer(await sendCall(placeStep(), holder, stake, betId))
  if (placed.kind !== 'accepted') return false
  const result = settleStep(payout > 0n ? 'won' : 'lost', '0')
  return interpretAnswer(await sendCall(result, holder, payout, betId)).kind === 'accepted'
}
