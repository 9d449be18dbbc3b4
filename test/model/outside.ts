/** What the operator can see from outside: balances, bets, statements; compared with the model. */
import type { Json, JsonObject } from '../support/wire.ts'
import { balanceOf, decimalText, minorUnits, SCALES } from './players.ts'
import { objectOf, type Seat, type Table } from './table.ts'

const STATEMENT_PAGE = 50

export async function compareBalances(table: Table, seats: Seat[]): Promise<void> {
  await Promise.all(seats.map((seat) => compareBalancesOf(table, seat)))
}

async function compareBalancesOf(table: Table, seat: Seat): Promise<void> {
  const { balances } = await read(table, `/operator/players/${seat.id}/balances`)
  const shown = new Map(listOf(balances).map(({ currency, amount }) => [currency, signedUnits(amount, currency)]))
  const player = table.model.players.get(seat.id)!
  for (const currency of Object.keys(SCALES)) {
    const expected = balanceOf(player, currency)
    if ((shown.get(currency) ?? 0n) === expected) continue
    const is = decimalText(shown.get(currency) ?? 0n, currency)
    throw new Error(
      `player ${table.seats.indexOf(seat)} has ${is} ${currency}, expected ${decimalText(expected, currency)}`,
    )
  }
}

/** Each bet's status, and that each statement adds up to the balance. */
export async function compareBooks(table: Table): Promise<void> {
  await compareBalances(table, table.seats)
  for (const seat of table.seats) {
    await Promise.all(table.bets.map(({ id, number }) => compareBet(table, seat, id, number)))
    for (const currency of Object.keys(SCALES)) await compareStatement(table, seat, currency)
  }
}

async function compareBet(table: Table, seat: Seat, id: string, number: number): Promise<void> {
  const expected = table.model.row(seat.id, id)
  const { status, body } = await table.wallet.operator.request('GET', `/operator/players/${seat.id}/bets/${id}`)
  const shown = status === 404 || objectOf(body).status === 'unknown' ? 'nothing' : objectOf(body).status
  if (shown !== expected) throw new Error(`bet ${number} of ${seat.id} is shown as ${shown}, expected ${expected}`)
}

async function compareStatement(table: Table, seat: Seat, currency: string): Promise<void> {
  const transfers = await statement(table, seat, currency)
  const sum = transfers.reduce((total, { amount }) => total + signedUnits(amount, currency), 0n)
  const expected = balanceOf(table.model.players.get(seat.id)!, currency)
  if (sum === expected) return
  throw new Error(`the ${currency} statement of ${seat.id} adds up to ${sum}, expected ${expected} minor units`)
}

async function statement(table: Table, seat: Seat, currency: string): Promise<JsonObject[]> {
  const transfers: JsonObject[] = []
  const path = `/operator/players/${seat.id}/statement?currency=${currency}&limit=${STATEMENT_PAGE}`
  for (let after: Json | undefined = ''; typeof after === 'string'; ) {
    const page = await read(table, path + (after === '' ? '' : `&after=${encodeURIComponent(after)}`))
    transfers.push(...listOf(page.data))
    after = page.next
  }
  return transfers
}

async function read(table: Table, path: string): Promise<JsonObject> {
  const { status, body } = await table.wallet.operator.request('GET', path)
  if (status === 200) return objectOf(body)
  throw new Error(`GET ${path} was answered ${status}: ${JSON.stringify(body)}`)
}

function listOf(value: Json | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.map(objectOf)
  throw new Error(`a list was expected, not ${JSON.stringify(value)}`)
}

/** Shown in full scale or with fewer decimals; negative below zero. */
function signedUnits(amount: Json | undefined, currency: Json | undefined): bigint {
  if (typeof amount !== 'string' || typeof currency !== 'string') throw new Error(`no money: ${amount} ${currency}`)
  const units = minorUnits(amount.replace(/^-/, ''), currency)
  if (units === undefined) throw new Error(`"${amount}" is not an amount of ${currency}`)
  return amount.startsWith('-') ? -units : units
}
