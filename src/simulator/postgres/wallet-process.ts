/**
 * A wallet in its own process, with pools of `pg`. Its clock, its timers and its network are
 * simulated.
 *
 * It acts only in turns: it receives input, runs until all work waits, and replies with its output
 * and its next timer. So two processes are as deterministic as one.
 */

import { errorWithStack } from '../../runtime/errors/error-text.ts'
import type { Db } from '../../server/core/database/db.ts'
import { openPostgres } from '../../server/core/database/postgres/postgres.ts'
import { Problem } from '../../server/core/http/api/problem-details.ts'
import { moveCash } from '../../server/wallet/operator-api/money/deposits-and-withdrawals.ts'
import { createPlayer } from '../../server/wallet/operator-api/players/player-profile.ts'
import { createSession } from '../../server/wallet/operator-api/players/player-sessions.ts'
import { AUTHORS, createTraceLogger, startWalletParty, type WalletParty } from '../market/actors/market-parties.ts'
import { CONFIGS } from '../market/databases/market-store.ts'
import { enterVirtualEnvironment, type VirtualEnvironment } from '../market/network/virtual-environment.ts'
import { findLocksFault } from './faults/locks-planted-faults.ts'
import {
  type IpcMessage,
  type IpcReply,
  type IpcTurn,
  type ManualMovement,
  type MovementOutcome,
  OPENING_EUROS,
  type SocketEvent,
  type WalletEvent,
  type WalletRequest,
  type WalletStart,
} from './ipc-messages.ts'
import { ClientSocket } from './wire/client-socket.ts'

const done: WalletEvent[] = []
let world: VirtualEnvironment | undefined
let lines = new Map<number, ClientSocket>()
let party: { readonly db: Db; readonly wallet: WalletParty } | undefined

process.on('disconnect', () => process.exit())
process.on('message', (turn: IpcTurn) => void handleTurn(turn).then((reply) => process.send?.(reply)))

async function handleTurn({ now, words }: IpcTurn): Promise<IpcReply> {
  const [first] = words
  if (first?.says === 'ask' && first.asked.does === 'begin') enterEnvironment(first.asked)
  await passTimeTo(now)
  for (const word of words) dispatch(word)
  await passTimeTo(now)
  const dueAt = world?.dueAt()
  return { done: done.splice(0), ...(dueAt !== undefined && { dueAt }) }
}

function enterEnvironment({ seed, number, startsAt }: WalletStart): void {
  world?.end()
  lines = new Map()
  world = enterVirtualEnvironment(seed + number * OTHER_SEED, () => false, 'timers', startsAt)
}

const OTHER_SEED = 1_000_003

async function passTimeTo(now: number): Promise<void> {
  if (world === undefined) return
  do await world.rest()
  while (await world.step(now))
  await world.rest()
}

function dispatch(word: IpcMessage): void {
  if (word.says === 'line') applySocketEvent(lines.get(word.line), word.news)
  if (word.says === 'ask') void answerRequest(word.id, word.asked)
  if (word.says !== 'call') return
  const { id, request } = word
  const received = { ...request, body: Buffer.from(request.body) }
  party?.wallet.host(received, (given) => done.push({ did: 'answer', id, answer: given }))
}

function applySocketEvent(line: ClientSocket | undefined, news: SocketEvent): void {
  if (line === undefined || line.destroyed) return
  if (news.kind === 'connected') line.connected()
  else if (news.kind === 'data') line.give(Buffer.from(news.data))
  else if (news.kind === 'hung up') line.hangUp()
  else if (news.kind === 'broken') line.breaks(news.code)
}

async function answerRequest(id: number, walletRequest: WalletRequest): Promise<void> {
  try {
    done.push({ did: 'come to', id, value: await performRequest(walletRequest) })
  } catch (error) {
    done.push({ did: 'fail', id, error: errorWithStack(error) })
  }
}

async function performRequest(walletRequest: WalletRequest): Promise<string> {
  if (walletRequest.does === 'begin') return startWallet(walletRequest)
  if (party === undefined) throw new Error('the wallet has not begun')
  if (walletRequest.does === 'move') return moveByHand(party.wallet, walletRequest)
  if (walletRequest.does === 'open account') return openAccount(party.wallet, walletRequest.userId)
  await party.db.close()
  return ''
}

async function startWallet({ number, url, fault }: WalletStart): Promise<string> {
  const db = await openPostgres(url, { newSocket })
  const planted = fault === undefined ? db : (findLocksFault(fault).wallet?.(db, number) ?? db)
  const note = (text: string) => void done.push({ did: 'note', text })
  party = {
    db,
    wallet: startWalletParty(
      'wallet',
      withSingleLane(planted),
      createTraceLogger(note, `wallet ${number}`),
      CONFIGS.wallet,
    ),
  }
  return ''
}

/**
 * A seed must give the same run on every machine, and a server's lanes depend on its processors.
 */
function withSingleLane(db: Db): Db {
  return { ...db, kind: 'pglite' }
}

function newSocket() {
  const number = lines.size + 1
  const made = new ClientSocket({
    onData: (data) => void done.push({ did: 'send', line: number, data }),
    onEnd: () => void done.push({ did: 'leave', line: number }),
  })
  lines.set(number, made)
  done.push({ did: 'open', line: number })
  return made.asSocket()
}

async function moveByHand(
  { operator }: WalletParty,
  { userId, kind, euros, reference }: ManualMovement,
): Promise<MovementOutcome> {
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
  const first = { currency: 'EUR', amount: `${OPENING_EUROS}.00`, reference: 'the first' }
  await moveCash(operator, AUTHORS.wallet(), userId, 'deposit', first)
  const { token } = await createSession(operator, AUTHORS.wallet(), userId, {})
  return token
}
