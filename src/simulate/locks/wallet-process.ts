/**
 * A wallet in a process of its own: all of its code, with pools of `pg`, in a virtual world. It does nothing by itself: it hears a turn of
 * words, comes to rest, and says what it has done and when it wants to go on. So two such processes are as much one run of a seed as one would be.
 */
import type { Db } from '../../db/db.ts'
import { openPostgres } from '../../db/postgres.ts'
import { Problem } from '../../http/problem.ts'
import { moveCash } from '../../operator/cash.ts'
import { createPlayer } from '../../operator/players.ts'
import { createSession } from '../../operator/sessions.ts'
import { errorWithStack } from '../../runtime/error-text.ts'
import { AUTHORS, beginWallet, logTo, type WalletParty } from '../market/parties.ts'
import { CONFIGS } from '../market/store.ts'
import { enterVirtualWorld, type VirtualWorld } from '../market/virtual-world.ts'
import { Line } from './line.ts'
import { faultCalled } from './planted.ts'
import {
  type Asked,
  type Beginning,
  type Done,
  EUROS,
  type Moved,
  type Movement,
  type News,
  type Reply,
  type Told,
  type Word,
} from './words.ts'

const done: Done[] = []
let world: VirtualWorld | undefined
let lines = new Map<number, Line>()
let party: { readonly db: Db; readonly wallet: WalletParty } | undefined

process.on('disconnect', () => process.exit())
process.on('message', (told: Told) => void hear(told).then((reply) => process.send?.(reply)))

async function hear({ now, words }: Told): Promise<Reply> {
  const [first] = words
  if (first?.says === 'ask' && first.asked.does === 'begin') enter(first.asked)
  await passTo(now)
  for (const word of words) take(word)
  await passTo(now)
  const dueAt = world?.dueAt()
  return { done: done.splice(0), ...(dueAt !== undefined && { dueAt }) }
}

function enter({ seed, number, startsAt }: Beginning): void {
  world?.end()
  lines = new Map()
  world = enterVirtualWorld(seed + number * OTHER_SEED, () => false, 'timers', startsAt)
}

/** What the two of them draw is not the same. */
const OTHER_SEED = 1_000_003

async function passTo(now: number): Promise<void> {
  if (world === undefined) return
  do await world.rest()
  while (await world.step(now))
  await world.rest()
}

function take(word: Word): void {
  if (word.says === 'line') happen(lines.get(word.line), word.news)
  if (word.says === 'ask') void answer(word.id, word.asked)
  if (word.says !== 'call') return
  const { id, request } = word
  const heard = { ...request, body: Buffer.from(request.body) }
  party?.wallet.host(heard, (given) => done.push({ did: 'answer', id, answer: given }))
}

function happen(line: Line | undefined, news: News): void {
  if (line === undefined || line.destroyed) return
  if (news.kind === 'connected') line.connected()
  else if (news.kind === 'data') line.give(Buffer.from(news.data))
  else if (news.kind === 'hung up') line.hangUp()
  else if (news.kind === 'broken') line.breaks(news.code)
}

async function answer(id: number, asked: Asked): Promise<void> {
  try {
    done.push({ did: 'come to', id, value: await resultOf(asked) })
  } catch (error) {
    done.push({ did: 'fail', id, error: errorWithStack(error) })
  }
}

async function resultOf(asked: Asked): Promise<string> {
  if (asked.does === 'begin') return begin(asked)
  if (party === undefined) throw new Error('the wallet has not begun')
  if (asked.does === 'move') return move(party.wallet, asked)
  if (asked.does === 'open account') return openAccount(party.wallet, asked.userId)
  await party.db.close()
  return ''
}

async function begin({ number, url, fault }: Beginning): Promise<string> {
  const db = await openPostgres(url, { newSocket })
  const planted = fault === undefined ? db : (faultCalled(fault).wallet?.(db, number) ?? db)
  const note = (text: string) => void done.push({ did: 'note', text })
  party = { db, wallet: beginWallet('wallet', withOneLane(planted), logTo(note, `wallet ${number}`), CONFIGS.wallet) }
  return ''
}

/** A server has lanes by its processors; a seed must be the same run on every machine. */
function withOneLane(db: Db): Db {
  return { ...db, kind: 'pglite' }
}

function newSocket() {
  const number = lines.size + 1
  const made = new Line({
    onData: (data) => void done.push({ did: 'send', line: number, data }),
    onEnd: () => void done.push({ did: 'leave', line: number }),
  })
  lines.set(number, made)
  done.push({ did: 'open', line: number })
  return made.asSocket()
}

async function move({ operator }: WalletParty, { userId, kind, euros, reference }: Movement): Promise<Moved> {
  const body = { currency: 'EUR', amount: `${euros}.00`, reference }
  try {
    await moveCash(operator, AUTHORS.wallet(), userId, kind, body)
    return 'made'
  } catch (error) {
    return error instanceof Problem ? 'refused' : 'unclear'
  }
}

async function openAccount({ operator }: WalletParty, userId: string): Promise<string> {
  await createPlayer(operator, AUTHORS.wallet(), { userId, currency: 'EUR', currencies: ['EUR'] })
  const first = { currency: 'EUR', amount: `${EUROS}.00`, reference: 'the first' }
  await moveCash(operator, AUTHORS.wallet(), userId, 'deposit', first)
  const { token } = await createSession(operator, AUTHORS.wallet(), userId, {})
  return token
}
