/** Writes a call as text for a failure report. */
import type { Call, PlaceCall } from './call.ts'
import type { Table } from './table.ts'

export function describeCall(table: Table, call: Call): string {
  const bet = table.bets.findIndex(({ id }) => id === call.bet)
  const seat = table.seats.findIndex(({ id }) => id === call.player)
  const request = `r${table.requests.indexOf(call.request) + 1}`
  const money = call.amount === undefined ? 'no amount' : `${call.amount} ${call.currency}`
  const sender = (seat === -1 ? 'nobody' : `player ${seat}`) + (call.viaAggregator ? ' with operatorUser' : '')
  const words = [call.kind, `bet ${bet}`, sender, request, money, ...describeTerms(table, call)]
  return words.join(', ')
}

function describeTerms(table: Table, call: Call): string[] {
  if (call.kind === 'place')
    return [...describeBonus(call), `odds ${call.coefficient} × ${call.booster}`, describeToken(table, call.token)]
  if (call.kind !== 'settle') return []
  return call.resultType === 'cashout' ? ['cashout', describeToken(table, call.token)] : [call.resultType]
}

function describeBonus({ bonusId, bonusAmount }: PlaceCall): string[] {
  return bonusId === 'null' ? [] : [`bonus ${bonusId} of ${bonusAmount ?? 'no amount'}`]
}

function describeToken(table: Table, token: string | undefined): string {
  if (token === undefined) return 'no token'
  const owner = table.seats.findIndex(({ tokens }) => tokens.includes(token))
  return owner === -1 ? 'an unknown token' : `token ${table.seats[owner]!.tokens.indexOf(token)} of player ${owner}`
}
