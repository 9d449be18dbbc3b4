/**
 * Brings the balance of a lent player back to what it was when the case began: open bets are rolled back, and the rest is won or
 * lost with one more bet. After a failure the balance is looked for first, so that one fault does not use up all the players.
 */

import { type CasePlay, createKitCaller, listHolders } from '../case/call-plan.ts'
import { placeStep, rollbackStep, settleStep } from '../case/step-builders.ts'
import type { FixturePlayer } from '../players/player-fixtures.ts'
import { interpretAnswer } from './answer-meaning.ts'
import type { BalanceHolder } from './balance-reader.ts'
import { netEffect } from './expected-books.ts'

/** The players with the balances that they have now; without those of whom nobody knows it. */
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
  // A bet of the whole balance would be refused as this one was, and a case would take that for a fault.
  return left > 2n * target ? 'the player has won more than can be lost again' : find(left)
}

/** What was won may be more than the operator takes as one stake. Answers how much of it was taken back. */
async function loseWins(play: CasePlay, key: string, holder: BalanceHolder): Promise<bigint> {
  let taken = 0n
  for (const [name, { paid, purse }] of play.books.bets) {
    if (purse !== key || paid <= (holder.player.balance ?? 0n)) continue
    const [, alias = ''] = name.split('/')
    const answer = interpretAnswer(
      await createKitCaller(play)(settleStep('lost', '0'), holder, 0n, play.betIds.get(alias)),
    )
    if (answer.kind === 'accepted') taken += paid
  }
  return taken
}

/** Only those of the last round are known by id; older ones were closed by the case, or stay in the gap. */
async function rollBackOpenBets(play: CasePlay, key: string, holder: BalanceHolder): Promise<void> {
  const open = [...play.books.bets].filter(
    ([, bet]) => bet.purse === key && bet.resultType === undefined && bet.stake > 0n,
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

/** A stake of one minor unit wins what is missing; a stake of what is too much is lost. */
async function winOrLose(play: CasePlay, holder: BalanceHolder, missing: bigint): Promise<boolean> {
  if (missing === 0n) return true
  const [stake, payout] = missing > 0n ? [1n, missing + 1n] : [-missing, 0n]
  const ask = createKitCaller(play)
  const betId = crypto.randomUUID()
  const placed = interpretAnswer(await ask(placeStep(), holder, stake, betId))
  if (placed.kind !== 'accepted') return false
  const result = settleStep(payout > 0n ? 'won' : 'lost', '0')
  return interpretAnswer(await ask(result, holder, payout, betId)).kind === 'accepted'
}
