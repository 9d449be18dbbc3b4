/**
 * Applies the operator's actions between the calls, such as deposits and locks, to the wallet and
 * to the model.
 */
import { randomUUID } from 'node:crypto'
import { addMoney, balanceOf, decimalText, isShutOut, minorUnits, type Player } from './players.ts'
import type { Act, PlayerChange } from './steps.ts'
import { noteSession, openSession, type Seat, type Table } from './table.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS

export async function perform(table: Table, act: Act): Promise<void> {
  if (act.act === 'wait') {
    table.transcript.push(`   ${act.hours} hours pass`)
    return table.wallet.clock.advance(act.hours * HOUR_MS)
  }
  if (act.act === 'lock') return lock(table, act.bet, act.locked)
  const seat = table.seats[act.player]!
  table.transcript.push(`   the operator: ${describe(act)} (player ${act.player})`)
  switch (act.act) {
    case 'deposit':
      return transfer(table, seat, 'deposits', minorUnits(act.amount, seat.currency)!)
    case 'withdraw':
      return transfer(table, seat, 'withdrawals', withdrawalOf(table, seat, act.amount))
    case 'adjust':
      return adjust(table, seat, act.amount)
    case 'patch':
      return change(table, seat, act.change)
    case 'limit':
      return limit(table, seat, act.limits)
    case 'switch currency':
      return switchCurrency(table, seat)
    case 'end sessions':
      await expectStatus(table, 204, 'DELETE', `/operator/players/${seat.id}/sessions`)
      return endSessions(table, seat)
    case 'new session':
      return openSession(table, seat, act.ttlSeconds)
    default:
      act satisfies never
  }
}

function describe(act: Act): string {
  if (act.act === 'deposit' || act.act === 'withdraw') return `${act.act} ${act.amount ?? 'everything'}`
  if (act.act === 'adjust') return `adjust by ${act.amount}`
  if (act.act === 'patch') return act.change
  if (act.act === 'limit') return `limits ${JSON.stringify(act.limits)}`
  return act.act === 'new session' ? `new session of ${act.ttlSeconds} s` : act.act
}

async function expectStatus(table: Table, status: number, method: string, path: string, body?: object) {
  const reply = await table.wallet.operator.request(method, path, body)
  if (reply.status === status) return reply
  throw new Error(`${method} ${path} was answered ${reply.status}, not ${status}: ${JSON.stringify(reply.body)}`)
}

function withdrawalOf(table: Table, seat: Seat, amount: string | undefined): bigint {
  if (amount !== undefined) return minorUnits(amount, seat.currency)!
  const balance = balanceOf(table.model.players.get(seat.id)!, seat.currency)
  return balance > 0n ? balance : 1n
}

/**
 * A withdrawal above the balance is 409, and so is a deposit for a blocked or excluded player
 * (O-3).
 */
async function transfer(table: Table, seat: Seat, kind: 'deposits' | 'withdrawals', units: bigint): Promise<void> {
  const player = table.model.players.get(seat.id)!
  const possible =
    kind === 'deposits' ? !isShutOut(player, table.wallet.clock.now()) : balanceOf(player, seat.currency) >= units
  const amount = decimalText(units, seat.currency)
  const body = { currency: seat.currency, amount, reference: randomUUID() }
  await expectStatus(table, possible ? 201 : 409, 'POST', `/operator/players/${seat.id}/${kind}`, body)
  if (possible) addMoney(player, seat.currency, kind === 'deposits' ? units : -units)
}

/**
 * An adjustment works for any player, and never below zero (W-23). The limits per day do not count
 * it.
 */
async function adjust(table: Table, seat: Seat, signed: string): Promise<void> {
  const player = table.model.players.get(seat.id)!
  const units = minorUnits(signed.replace('-', ''), seat.currency)! * (signed.startsWith('-') ? -1n : 1n)
  const possible = units > 0n || balanceOf(player, seat.currency) + units >= 0n
  const why = { reason: 'a correction', person: 'maria', reference: randomUUID() }
  const body = { currency: seat.currency, amount: signed, ...why }
  await expectStatus(table, possible ? 201 : 409, 'POST', `/operator/players/${seat.id}/adjustments`, body)
  if (possible) addMoney(player, seat.currency, units)
}

async function change(table: Table, seat: Seat, wanted: PlayerChange): Promise<void> {
  const now = table.wallet.clock.now()
  const player = table.model.players.get(seat.id)!
  await expectStatus(table, 200, 'PATCH', `/operator/players/${seat.id}`, changePlayer(player, wanted, now))
}

function changePlayer(player: Player, wanted: PlayerChange, now: Date): object {
  switch (wanted) {
    case 'block':
      player.blocked = true
      return { status: 'blocked' }
    case 'exclude':
      player.excludedUntil = new Date(now.getTime() + 2 * DAY_MS)
      return { selfExcludedUntil: player.excludedUntil.toISOString() }
    case 'unverify':
      player.verified = false
      return { verified: false }
    case 'make under age':
      player.birthday = dateOf(now.getTime() - 17 * YEAR_MS)
      return { birthday: player.birthday }
    case 'clear':
      player.blocked = false
      player.verified = true
      player.excludedUntil = new Date(now.getTime() - DAY_MS)
      player.birthday = dateOf(now.getTime() - 19 * YEAR_MS)
      return {
        ...{ status: 'active', verified: true, birthday: player.birthday },
        selfExcludedUntil: player.excludedUntil.toISOString(),
      }
  }
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

type LimitChange = Extract<Act, { act: 'limit' }>['limits']

async function limit(table: Table, seat: Seat, limits: LimitChange): Promise<void> {
  await expectStatus(table, 200, 'PATCH', `/operator/players/${seat.id}`, { limits })
  const { stake, loss, betCount } = limits
  table.model.players.get(seat.id)!.limits = {
    ...(stake !== null && { stake }),
    ...(loss !== null && { loss }),
    ...(betCount !== null && { betCount }),
  }
}

async function switchCurrency(table: Table, seat: Seat): Promise<void> {
  const currency = seat.currency === 'EUR' ? 'JPY' : 'EUR'
  const { body } = await expectStatus(table, 200, 'POST', `/operator/players/${seat.id}/currency`, { currency })
  endSessions(table, seat) // a switch ends all sessions (P-1)
  seat.currency = currency
  noteSession(table, seat, body)
}

function endSessions(table: Table, seat: Seat): void {
  for (const session of table.model.sessions.values()) if (session.player === seat.id) session.ended = true
}

async function lock(table: Table, slot: number, locked: boolean): Promise<void> {
  const { id, owner } = table.bets[slot]!
  const player = table.seats[owner]!.id
  // Only an accepted bet has a result to lock.
  if (!['open', 'settled'].includes(table.model.bet(player, id).status)) return
  table.transcript.push(`   the operator: ${locked ? 'lock' : 'unlock'} bet ${slot}`)
  await expectStatus(table, 204, locked ? 'PUT' : 'DELETE', `/operator/players/${player}/bets/${id}/lock`)
  table.model.setLock(player, id, locked)
}
