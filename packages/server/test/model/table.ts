/**
 * Makes the players and bets of one history, with new ids, because several histories share a
 * wallet.
 */
import { randomUUID } from 'node:crypto'
import type { TestWallet } from '../support/wallet.ts'
import type { Json, JsonObject } from '../support/wire.ts'
import type { Call, Settings } from './call.ts'
import type { Knowledge } from './compare.ts'
import { createModel } from './model.ts'
import { addMoney, minorUnits } from './players.ts'
import { BETS, PLAYERS } from './steps.ts'

export interface BetSlot {
  number: number
  id: string
  /** The index of the bet's player. */
  owner: number
  /** From the first Place bet. */
  currency: string | undefined
  sent: Call[]
  /** The results in `sent` that were refused with 20 or 21. */
  refused: Call[]
}
export interface Seat {
  id: string
  /** For failure reports. */
  name: string
  /** The active currency. */
  currency: string
  tokens: string[]
}
export interface Table extends Knowledge {
  wallet: TestWallet
  settings: Settings
  seats: Seat[]
  bets: BetSlot[]
  /** An id without a player. */
  nobody: string
  /** In the order of their use, as r1, r2, ... in the transcript. */
  requests: string[]
  transcript: string[]
}

const CURRENCIES = ['EUR', 'JPY']
const OPENING_BALANCE = { EUR: '80', JPY: '200' }
const LONG_SESSION_SECONDS = 20 * 24 * 3600

export async function layTable(wallet: TestWallet, settings: Settings): Promise<Table> {
  const model = createModel(settings)
  const bets = Array.from({ length: BETS }, (_, number) => ({
    ...{ number, id: randomUUID(), owner: number % PLAYERS, currency: undefined, sent: [], refused: [] },
  }))
  const notes = { requests: [], times: new Map(), transcript: [] }
  const table: Table = { wallet, settings, model, seats: [], bets, nobody: `nobody-${randomUUID()}`, ...notes }
  table.seats = await Promise.all(Array.from({ length: PLAYERS }, (_, number) => takeSeat(table, `player ${number}`)))
  return table
}

async function takeSeat(table: Table, name: string): Promise<Seat> {
  const { operator } = table.wallet
  const { userId } = await operator.createPlayer({ currency: 'EUR', currencies: CURRENCIES })
  table.model.addPlayer(userId)
  for (const [currency, amount] of Object.entries(OPENING_BALANCE)) {
    await operator.deposit(userId, amount, currency)
    addMoney(table.model.players.get(userId)!, currency, minorUnits(amount, currency)!)
  }
  const seat = { id: userId, name, currency: 'EUR', tokens: [] }
  await openSession(table, seat, LONG_SESSION_SECONDS)
  return seat
}

export async function openSession(table: Table, seat: Seat, ttlSeconds: number): Promise<void> {
  const path = `/operator/players/${seat.id}/sessions`
  const { status, body } = await table.wallet.operator.request('POST', path, { ttlSeconds })
  if (status !== 201) throw new Error(`a new session was answered ${status}: ${JSON.stringify(body)}`)
  noteSession(table, seat, body)
}

/** The answer to a new session, and to a switch of the currency. */
export function noteSession(table: Table, seat: Seat, answer: Json): void {
  const { token, currency, expiresAt } = objectOf(answer)
  if (typeof token !== 'string' || typeof expiresAt !== 'string')
    throw new Error(`no session: ${JSON.stringify(answer)}`)
  if (currency !== seat.currency) throw new Error(`a session in ${currency} while ${seat.currency} is active`)
  seat.tokens.push(token)
  const life = { expiresAt: new Date(expiresAt), ended: false }
  table.model.sessions.set(token, { player: seat.id, currency: seat.currency, ...life })
}

export function objectOf(value: Json | undefined): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Error(`an object was expected, not ${JSON.stringify(value)}`)
}
