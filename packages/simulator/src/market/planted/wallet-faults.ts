/** Faults to plant in the reads and writes of a wallet. */
import { environment } from '@purser/runtime/environment'
import { loseCommits, skipStatement } from '../faults/fault-planting.ts'
import { alterRows, combineFaults, type DbFault, rememberRows, rewordStatement } from '../faults/sql-faults.ts'
import { withClock } from '../network/wall-clocks.ts'
import { type PlantedFaultRow, plantBelow } from './planted-fault.ts'

const plantInWallet = (...plants: readonly DbFault[]) => plantBelow('wallet', combineFaults(...plants))

/** While an account's day is ahead of the clock, its transfers of that day are missing. */
function hideFutureDay(): DbFault {
  const ahead = new Set<unknown>()
  const today = () => new Date(withClock('wallet', environment.now)).toISOString().slice(0, 10)
  return combineFaults(
    alterRows('read_accounts', (row) => {
      if (`${row.day}` > today()) ahead.add(row.player)
      else ahead.delete(row.player)
      return row
    }),
    alterRows('transfers_of_today', (row) => (ahead.has(row.player) ? undefined : row)),
  )
}

export const WALLET_FAULTS: readonly PlantedFaultRow[] = [
  ['a call is answered, and its commit is lost', 'R-4', 1, plantInWallet(loseCommits(12))],
  ['late copies of results are not recognised', 'I-2', 4, plantInWallet(skipStatement('read_seen_calls'))],
  ['a booked amount is missing in the balance', 'M-1', 1, plantInWallet(skipStatement('save_accounts'))],
  ['money moves without a transfer', 'M-1', 1, plantInWallet(skipStatement('insert_transfers'))],
  ['calls are not recorded', 'I-2', 1, plantInWallet(skipStatement('insert_calls'))],
  ['the feed omits changes', 'W-40', 1, plantInWallet(skipStatement('purser_add_changes'))],
  [
    'the lock of a bet is ignored',
    'L-3',
    3,
    plantInWallet(alterRows('lock_bets', (row) => ({ ...row, locked: false }))),
  ],
  [
    'a plain player bets with an ended token',
    'P-1',
    6,
    plantInWallet(rewordStatement('fast_path_place', ['and ended_at is null', ''])),
  ],
  [
    'the end of a session is ignored',
    'L-4',
    1,
    plantInWallet(alterRows('read_sessions', (row) => ({ ...row, ended_at: null }))),
  ],
  [
    'User data answers an ended token',
    'P-1',
    1,
    plantInWallet(alterRows('read_session', (row) => ({ ...row, ended_at: null }))),
  ],
  [
    'an ended token counts as unknown',
    'P-1',
    1,
    plantInWallet(alterRows('read_session', (row) => (row.ended_at === null ? row : undefined))),
  ],
  [
    'a player’s restrictions are cached from the first call on, also over a failover',
    'R-6',
    2,
    plantInWallet(rememberRows('lock_ruled_players', 'player')),
  ],
  ['the new state of a bet is not stored', 'the bet’s life', 1, plantInWallet(skipStatement('save_bets'))],
  ['daily limits are off while the account is a day ahead', 'W-2', 5, plantInWallet(hideFutureDay())],
  [
    'the rules do not see a tombstone',
    'the bet’s life',
    1,
    plantInWallet(
      alterRows('lock_bets', (row) => (row.status === 'cancelled' && row.stake === null ? undefined : row)),
    ),
  ],
  [
    'the odds of a bet are unknown when its result arrives',
    'W-49',
    1,
    plantInWallet(alterRows('lock_bets', (row) => ({ ...row, odds_payout: null }))),
  ],
]
