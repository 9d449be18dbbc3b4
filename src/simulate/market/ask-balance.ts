/** Asks the wallet over the wire what each player has (P-3), and compares it with what the auditor says that it may be. */
import { sign } from '../../protocol/signature.ts'
import { world } from '../../runtime/world.ts'
import type { Player } from './cast.ts'
import { centsOf } from './cents.ts'
import type { Market } from './market.ts'
import type { Answer } from './network.ts'
import { SECRET } from './store.ts'

/** Milliseconds that an answer takes at most; the wallet may die meanwhile. */
const ANSWER_MS = 10_000

/** Complaints. Players whose money is just being moved by hand, and those without a live token, are left out. */
export async function auditBalances(market: Market, players: readonly Player[]): Promise<string[]> {
  const complaints: string[] = []
  for (const player of players) {
    const { movedOf } = market.wire(player.wallet)
    const [before, cash] = [movedOf(player.userId), player.cash]
    const text = player.isMoving ? undefined : await askBalance(market, player)
    const behind = movedOf(player.userId)
    if (text === undefined || before === undefined || behind === undefined || player.isMoving || player.cash !== cash)
      continue
    market.trace.mark('a balance is asked for')
    const may = [...new Set([...before, ...behind])].map((moved) => cash + moved)
    const has = centsOf(text)
    if (!may.includes(has))
      complaints.push(`the auditor: the balance of ${player.name} is ${has}, may be ${may.slice(0, 5).join(', ')}`)
  }
  return complaints
}

async function askBalance(market: Market, { wallet: name, userId, token }: Player): Promise<string | undefined> {
  const wallet = market.wallet(name)
  if (wallet === undefined || token === undefined) return undefined
  const body = Buffer.from(JSON.stringify({ token, userId, currency: 'EUR', requestId: world.uuid() }))
  const headers = { host: 'wallet.example', 'x-sign-jws': sign(body, SECRET), 'content-length': `${body.length}` }
  let answer: Answer | undefined
  const asked = new Promise<void>((done) => {
    world.after(ANSWER_MS, done)
    wallet.host({ method: 'POST', path: '/user/balance', headers, body }, (given) => {
      answer = given
      done()
    })
  })
  await market.until(asked, 2 * ANSWER_MS)
  const told = /"amount":(-?[\d.]+)/.exec(answer?.body.toString('utf8') ?? '')?.[1]
  return answer?.status === 200 ? told : undefined
}
