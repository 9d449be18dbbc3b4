/**
 * A bet's id is a random UUID but for its first 48 bits, which are the time in milliseconds: 74 bits of it nobody can guess. So bets that were
 * placed together stand together in every index, here and in the wallets, and the bets of an event, which are settled in the order of their
 * ids, are read and written page by page. It looks like version 4, as some partners may expect.
 */
import { environment } from '../../../runtime/environment.ts'

export function newBetId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-${environment.uuid().slice(14)}`
}
