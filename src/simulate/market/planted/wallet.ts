/** Faults of a wallet in what it reads and writes. */
import { world } from '../../../runtime/world.ts'
import { showing } from '../clocks.ts'
import { losing, without } from '../planting.ts'
import { altered, type Plant, remembering, saying, together } from '../planting-sql.ts'
import { below, type Row } from './row.ts'

const inWallet = (...plants: readonly Plant[]) => below('wallet', together(...plants))

/** "Today" is the clock's day, and no other one: of an account whose day is ahead of it, nothing that was booked is seen. */
function blindAhead(): Plant {
  const ahead = new Set<unknown>()
  const today = () => new Date(showing('wallet', world.wall)).toISOString().slice(0, 10)
  return together(
    altered('read_accounts', (row) => {
      if (`${row.day}` > today()) ahead.add(row.player)
      else ahead.delete(row.player)
      return row
    }),
    altered('transfers_of_today', (row) => (ahead.has(row.player) ? undefined : row)),
  )
}

export const WALLET: readonly Row[] = [
  ['a call is answered, and its commit is lost', 'R-4', 1, inWallet(losing(12))],
  ['late copies of results are not known', 'I-2', 4, inWallet(without('read_seen_calls'))],
  ['what was booked is not in the balance', 'M-1', 1, inWallet(without('save_accounts'))],
  ['money moves, and no transfer says so', 'M-1', 1, inWallet(without('insert_transfers'))],
  ['calls are not recorded', 'I-2', 1, inWallet(without('insert_calls'))],
  ['the feed misses what was changed', 'W-40', 1, inWallet(without('purser_add_changes'))],
  ['the lock is not looked at', 'L-3', 3, inWallet(altered('lock_bets', (row) => ({ ...row, locked: false })))],
  ['a plain player bets with an ended token', 'P-1', 6, inWallet(saying('gate_place', ['and ended_at is null', '']))],
  [
    'the end of a session is not looked at',
    'L-4',
    1,
    inWallet(altered('read_sessions', (row) => ({ ...row, ended_at: null }))),
  ],
  [
    'User data is told to an ended token',
    'P-1',
    1,
    inWallet(altered('read_session', (row) => ({ ...row, ended_at: null }))),
  ],
  [
    'a token that has ended is one that never was',
    'P-1',
    1,
    inWallet(altered('read_session', (row) => (row.ended_at === null ? row : undefined))),
  ],
  [
    'the rules of a player are remembered from the first call on, over a failover too',
    'R-6',
    2,
    inWallet(remembering('lock_ruled_players', 'player')),
  ],
  ['what became of a bet is not kept', 'the bet’s life', 1, inWallet(without('save_bets'))],
  ['the limits of a day are off while the account is a day ahead', 'W-2', 5, inWallet(blindAhead())],
  [
    'the rules do not see a tombstone',
    'the bet’s life',
    1,
    inWallet(altered('lock_bets', (row) => (row.status === 'cancelled' && row.stake === null ? undefined : row))),
  ],
  [
    'the odds of a bet are not known when its result comes',
    'W-49',
    1,
    inWallet(altered('lock_bets', (row) => ({ ...row, odds_payout: null }))),
  ],
]
