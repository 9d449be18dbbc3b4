/**
 * What a page needs before it can show anything is asked for here, in a script of its own that is there at once: the answers come while the
 * browser still reads the rest (vite.config.mjs).
 */
import { OURS } from './ours.ts'

const begun = new Map<string, Promise<Response | undefined>>()

/** The answer to a question that was asked early, for the first who asks for it. Undefined: nobody has, or it was no good. */
export async function early(path: string): Promise<Response | undefined> {
  const answer = begun.get(path)
  begun.delete(path)
  return answer
}

function begin(path: string): void {
  const asked = fetch(path, { headers: OURS, credentials: 'same-origin' })
  begun.set(
    path,
    asked.then(
      (answer) => (answer.ok ? answer : undefined),
      () => undefined,
    ),
  )
}

begin('/console/api/setup')
begin('/console/api/session')
// Addresses with a player are those of wallets. Whoever has not signed in is told no, and asks again behind the door.
const [, user, bet] = /^\/console\/bets\/([^/]+)\/([^/]+)$/.exec(location.pathname) ?? []
if (user !== undefined && bet !== undefined) begin(`/operator/players/${user}/bets/${bet}`)
