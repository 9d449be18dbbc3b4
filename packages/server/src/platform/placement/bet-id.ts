/**
 * A bet id is a random UUID whose first 48 bits are the time in milliseconds; 74 bits stay random.
 *
 * Bets that were placed together therefore share index pages, here and in the wallets. The bets of
 * an event, which are settled in the order of their ids, are read and written page by page. The id
 * has the form of version 4, as some partners may expect.
 */
import { environment } from '@purser/runtime/environment'

export function newBetId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-${environment.uuid().slice(14)}`
}
