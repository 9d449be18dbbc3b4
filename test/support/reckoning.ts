/** Holds what the platform knows of its bets against what the wallet says: each there once, with its money, and the ledger in order. */
import { expect } from 'vitest'
import { type BetRecord, type Player, send, worthOf } from './journal.ts'
import type { OperatorClient } from './operator.ts'
import type { WalletProcess } from './wallet-process.ts'
import type { Json, JsonObject } from './wire.ts'

const PAGE = 500
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

/** The status of every bet that the wallet knows. */
async function fatesIn(operator: OperatorClient): Promise<Map<string, string>> {
  const fates = new Map<string, string>()
  let after: string | undefined
  do {
    const { status, body } = await operator.request(
      'GET',
      `/operator/bets?limit=${PAGE}${after ? `&after=${after}` : ''}`,
    )
    expect(status).toBe(200)
    for (const bet of listOf(body)) fates.set(String(bet.transactionId), String(bet.status))
    after = nextOf(body)
  } while (after !== undefined)
  return fates
}

function listOf(body: Json): JsonObject[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : []
  return Array.isArray(data) ? data.filter(isObject) : []
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nextOf(body: Json): string | undefined {
  const next = typeof body === 'object' && body !== null && 'next' in body ? body.next : undefined
  return typeof next === 'string' ? next : undefined
}
