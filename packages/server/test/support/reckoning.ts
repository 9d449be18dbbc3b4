/**
 * Compares the bets that a test has made with the wallet: each bet and its money exist once, and
 * the ledger is consistent.
 */
import { expect } from 'vitest'
import { readBetStatuses } from './bet-statuses.ts'
import { type BetRecord, type Player, send, worthOf } from './journal.ts'
import type { WalletProcess } from './wallet-process.ts'

/** Number of Place bets that are repeated. */
const REPEATS = 50

type AskedWallet = Pick<WalletProcess, 'operator' | 'wire' | 'auditIsClean'>

/** `money` is each player's balance before the bets. */
export async function expectSameBets(wallet: AskedWallet, players: Player[], bets: BetRecord[], money: number) {
  const found = await readBetStatuses(wallet.operator)
  const reported = bets.map((bet) => ({ bet, found: found.get(bet.betId) ?? 'unknown to the wallet' }))
  expect(reported.filter(({ bet, found }) => bet.status !== found)).toEqual([])
  for (const { userId } of players) {
    const own = bets.filter((bet) => bet.userId === userId)
    const expected = own.reduce((sum, bet) => sum + worthOf(bet, bet.status), money)
    expect(await wallet.operator.balance(userId)).toBe(`${expected}.00`)
  }
  await expectSameAnswers(wallet, bets)
  await wallet.auditIsClean()
}

/**
 * The repeat of an accepted Place bet gets the same answer, byte for byte, except after a
 * cancellation.
 */
async function expectSameAnswers({ wire }: AskedWallet, bets: BetRecord[]): Promise<void> {
  const accepted = bets
    .filter(({ status, answered }) => answered !== undefined && status !== 'cancelled')
    .slice(-REPEATS)
  for (const { answered } of accepted) expect((await send(wire, answered!.call)).text).toBe(answered?.text)
}
