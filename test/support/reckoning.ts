/** Holds what the platform knows of its bets against what the wallet says: each there once, with its money, and the ledger in order. */
import { expect } from 'vitest'
import { fatesIn } from './fates.ts'
import { type BetRecord, type Player, send, worthOf } from './journal.ts'
import type { WalletProcess } from './wallet-process.ts'

/** Repeats of so many Place bets are asked for. */
const REPEATS = 50

type AskedWallet = Pick<WalletProcess, 'operator' | 'wire' | 'auditIsClean'>

/** `money` is what each player had before the first of these bets. */
export async function expectSameBets(wallet: AskedWallet, players: Player[], bets: BetRecord[], money: number) {
  const found = await fatesIn(wallet.operator)
  const told = bets.map((bet) => ({ bet, found: found.get(bet.betId) ?? 'unknown to the wallet' }))
  expect(told.filter(({ bet, found }) => bet.fate !== found)).toEqual([])
  for (const { userId } of players) {
    const own = bets.filter((bet) => bet.userId === userId)
    const expected = own.reduce((sum, bet) => sum + worthOf(bet, bet.fate), money)
    expect(await wallet.operator.balance(userId)).toBe(`${expected}.00`)
  }
  await expectSameAnswers(wallet, bets)
  await wallet.auditIsClean()
}

/** A Place bet that was accepted is answered the same again, byte for byte, unless its bet is cancelled by now. */
async function expectSameAnswers({ wire }: AskedWallet, bets: BetRecord[]): Promise<void> {
  const accepted = bets.filter(({ fate, answered }) => answered !== undefined && fate !== 'cancelled').slice(-REPEATS)
  for (const { answered } of accepted) expect((await send(wire, answered!.call)).text).toBe(answered?.text)
}
