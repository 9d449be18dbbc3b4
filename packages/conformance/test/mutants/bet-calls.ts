/**
 * Runs the four bet operations of the test wallet, one at a time per player. Each is decided
 * completely, and then written in one step.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Crash } from './crash.ts'
import type { Answer, Decision, Move } from './decision.ts'
import { place } from './place.ts'
import type { BetCall } from './read-call.ts'
import { rollback } from './rollback.ts'
import { settle } from './settle.ts'
import { betKey, has, nowOf, requestKey, type Wallet } from './state.ts'
import { unsettle } from './unsettle.ts'

/**
 * Milliseconds between check and write in a wallet without turns, so that concurrent calls
 * interfere.
 */
const RACE_MS = 8

const DECIDE = { place, settle, unsettle, rollback }

export async function handleBetCall(wallet: Wallet, call: BetCall): Promise<Answer> {
  if (wallet.writing.has(call.userId) && failsDuringAnotherCall(wallet, call)) return { kind: 'refused', code: 100 }
  return wallet.inTurn(turnOf(wallet, call), async () => {
    if (call.operation === 'place') wallet.placeRequests.add(requestKey(wallet, call))
    const decision = DECIDE[call.operation](wallet, call)
    wallet.writing.add(call.userId)
    await waitBeforeWriting(wallet)
    write(wallet, call, decision)
    wallet.writing.delete(call.userId)
    return decision.answer
  })
}

/** Faults that reject a waiting call with code 100, or throw. */
function failsDuringAnotherCall(wallet: Wallet, { operation }: BetCall): boolean {
  switch (operation) {
    case 'place':
      if (has(wallet, 'race-second-bet-500')) throw new Crash('the player is locked')
      return has(wallet, 'race-second-bet-refused')
    case 'settle':
      if (has(wallet, 'race-settle-500')) throw new Crash('the player is locked')
      return has(wallet, 'race-settle-100')
    case 'rollback':
      if (has(wallet, 'race-rollback-500')) throw new Crash('the player is locked')
      return has(wallet, 'race-rollback-100')
    case 'unsettle':
      return false
    default:
      return operation satisfies never
  }
}

/** Takes as long as a database, so that a call without a turn runs in between. */
async function waitBeforeWriting({ isSlow }: Wallet): Promise<void> {
  if (isSlow) await setTimeout(RACE_MS)
  else await setImmediate()
}

/**
 * Calls with the same key wait for each other. The key is the player (I-1), unless a fault changes
 * it.
 */
function turnOf(wallet: Wallet, { operation, userId, transactionId }: BetCall): string {
  const player = JSON.stringify([userId])
  const blind = blindTo(wallet, operation)
  if (blind !== undefined) return blind === 'other operations' ? `${operation} ${player}` : randomUUID()
  switch (operation) {
    case 'place':
      if (has(wallet, 'race-place-repeat')) return randomUUID()
      return has(wallet, 'race-funds') ? betKey(wallet, userId, transactionId) : player
    case 'settle':
      return has(wallet, 'race-settle-repeat') ? randomUUID() : player
    case 'unsettle':
      return has(wallet, 'race-unsettle-repeat') ? randomUUID() : player
    case 'rollback':
      if (has(wallet, 'race-rollback-in-flight')) return `rollback ${player}`
      return has(wallet, 'race-rollback-repeat') ? randomUUID() : player
    default:
      return operation satisfies never
  }
}

/** Faults that write the balance from an earlier read, so that a change in between is lost. */
function blindTo(wallet: Wallet, operation: BetCall['operation']): 'other operations' | 'everything' | undefined {
  if (operation === 'place') return has(wallet, 'race-bet-overwrites') ? 'other operations' : undefined
  if (operation !== 'settle') return undefined
  if (has(wallet, 'race-results-overwrite')) return 'everything'
  return has(wallet, 'race-lost-update') ? 'other operations' : undefined
}

function write(wallet: Wallet, call: BetCall, { bet, moves = [] }: Decision): void {
  for (const one of moves) writeMove(wallet, call, one)
  if (bet === undefined) return
  wallet.bets.set(betKey(wallet, bet.owner, call.transactionId), bet)
  if (call.operation === 'place') wallet.requestIds.set(call.requestId, bet)
}

function writeMove(wallet: Wallet, { operation }: BetCall, { player, purse, units, before }: Move): void {
  purse.add(blindTo(wallet, operation) === undefined ? units : before + units - purse.units())
  note(wallet, player.userId, purse.currency, units)
  if (operation !== 'settle' && operation !== 'unsettle') return
  const day = `${purse.currency} ${nowOf(wallet).slice(0, 10)}`
  player.paid.set(day, (player.paid.get(day) ?? 0n) + units)
}

export function note({ movements }: Wallet, userId: string, currency: string, units: bigint): void {
  const key = JSON.stringify([userId, currency])
  const known = movements.get(key)
  if (known === undefined) movements.set(key, [units])
  else known.push(units)
}
