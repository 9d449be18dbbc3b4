/** Reads players and bets through the wallet's operator API, to compare them with the model. */
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../support/wire.ts'
import { ANOMALIES } from './call.ts'
import type { Model } from './model.ts'
import { balanceOf, decimalText, minorUnits, SCALES } from './players.ts'
import { objectOf, type Seat, type Table } from './table.ts'

const STATEMENT_PAGE = 50

export interface Sight {
  balances: { seat: Seat; units: Map<Json | undefined, bigint> }[]
  bets: { player: string; bet: string; view: object }[]
}

export async function look(table: Table, seats: Seat[], bets: { player: string; bet: string }[]): Promise<Sight> {
  return {
    balances: await Promise.all(seats.map(async (seat) => ({ seat, units: await readBalances(table, seat) }))),
    bets: await Promise.all(bets.map(async (bet) => ({ ...bet, view: await readBet(table, bet) }))),
  }
}

async function readBalances(table: Table, seat: Seat): Promise<Map<Json | undefined, bigint>> {
  const { balances } = await read(table, `/operator/players/${seat.id}/balances`)
  return new Map(listOf(balances).map(({ currency, amount }) => [currency, signedUnits(amount, currency)]))
}

async function readBet(table: Table, { player, bet }: { player: string; bet: string }): Promise<object> {
  const { status, body } = await table.wallet.operator.request('GET', `/operator/players/${player}/bets/${bet}`)
  return status === 404 ? { status: 'nothing', anomalies: [] } : viewOf(objectOf(body))
}

function viewOf({ status, currency, stake, stakePaidBy, payout, resultType, history }: JsonObject): object {
  return {
    // A bet with only unremembered refusals is unknown, which is `nothing` in the life table.
    status: status === 'unknown' ? 'nothing' : status,
    ...(currency !== undefined && { currency, stake: signedUnits(stake, currency), funder: stakePaidBy }),
    ...(payout !== undefined && { payout: signedUnits(payout, currency), resultType }),
    anomalies: listOf(history ?? []).flatMap(({ anomaly }) => ANOMALIES.filter((known) => known === anomaly)),
  }
}

/** The first difference from the model. */
export function contradiction(model: Model, sight: Sight): string | undefined {
  for (const { seat, units } of sight.balances)
    for (const currency of Object.keys(SCALES)) {
      const expected = balanceOf(model.players.get(seat.id)!, currency)
      const seen = units.get(currency) ?? 0n
      if (seen !== expected) return `${seat.name} has ${show(seen, currency)}, expected ${show(expected, currency)}`
    }
  for (const { player, bet, view } of sight.bets) {
    const expected = model.bet(player, bet)
    if (!isDeepStrictEqual(view, expected)) return `bet ${bet} is ${inspect(view)}, expected ${inspect(expected)}`
  }
  return undefined
}

function show(units: bigint, currency: string): string {
  return `${decimalText(units, currency)} ${currency}`
}

/** Compares the complete visible state at the end. Each statement must add up to its balance. */
export async function compareBooks(table: Table): Promise<void> {
  const bets = table.seats.flatMap(({ id }) => table.bets.map((bet) => ({ player: id, bet: bet.id })))
  const difference = contradiction(table.model, await look(table, table.seats, bets))
  if (difference !== undefined) throw new Error(`in the end ${difference}`)
  for (const seat of table.seats)
    for (const currency of Object.keys(SCALES)) await compareStatement(table, seat, currency)
}

async function compareStatement(table: Table, seat: Seat, currency: string): Promise<void> {
  const transfers = await readStatement(table, seat, currency)
  const sum = transfers.reduce((total, { amount }) => total + signedUnits(amount, currency), 0n)
  const expected = balanceOf(table.model.players.get(seat.id)!, currency)
  if (sum === expected) return
  throw new Error(
    `the statement of ${seat.name} adds up to ${show(sum, currency)}, expected ${show(expected, currency)}`,
  )
}

async function readStatement(table: Table, seat: Seat, currency: string): Promise<JsonObject[]> {
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

/** The amount may have fewer decimals than the scale, and a sign. */
function signedUnits(amount: Json | undefined, currency: Json | undefined): bigint {
  if (typeof amount !== 'string' || typeof currency !== 'string') throw new Error(`no money: ${amount} ${currency}`)
  const units = minorUnits(amount.replace(/^-/, ''), currency)
  if (units === undefined) throw new Error(`"${amount}" is not an amount of ${currency}`)
  return amount.startsWith('-') ? -units : units
}
