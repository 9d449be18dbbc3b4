/**
 * Runs a wallet in its own process, with pools of `pg`. Its clock, its timers and its network are
 * simulated.
 *
 * The wallet acts only in turns: it receives input, runs until all work waits, and replies with its
 * output and its next timer. So a run with two wallet processes is as deterministic as a run with
 * one.
 */

import { errorWithStack } from '@purser/runtime/errors/error-text'
import type { Db } from 'purser/core/database/db'
import { openPostgres } from 'purser/core/database/postgres/postgres'
import { Problem } from 'purser/core/http/api/problem-details'
import { moveCash } from 'purser/wallet/operator-api/money/deposits-and-withdrawals'
import { createPlayer } from 'purser/wallet/operator-api/players/player-profile'
import { createSession } from 'purser/wallet/operator-api/players/player-sessions'
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

const events: WalletEvent[] = []
let world: VirtualEnvironment | undefined
let sockets = new Map<number, ClientSocket>()
let party: { readonly db: Db; readonly wallet: WalletParty } | undefined

process.on('disconnect', () => process.exit())
process.on('message', (turn: IpcTurn) => void handleTurn(turn).then((reply) => process.send?.(reply)))

async function handleTurn({ now, messages }: IpcTurn): Promise<IpcReply> {
  const [first] = messages
  if (first?.kind === 'request' && first.walletRequest.kind === 'begin') enterEnvironment(first.walletRequest)
  await passTimeTo(now)
  for (const message of messages) dispatch(message)
  await passTimeTo(now)
  const dueAt = world?.dueAt()
  return { events: events.splice(0), ...(dueAt !== undefined && { dueAt }) }
}

function enterEnvironment({ seed, number, startsAt }: WalletStart): void {
  world?.end()
  sockets = new Map()
  world = enterVirtualEnvironment(seed + number * OTHER_SEED, () => false, 'timers', startsAt)
}

const OTHER_SEED = 1_000_003

async function passTimeTo(now: number): Promise<void> {
  if (world === undefined) return
  do await world.rest()
  while (await world.step(now))
  await world.rest()
}

function dispatch(message: IpcMessage): void {
  if (message.kind === 'socket') applySocketEvent(sockets.get(message.socket), message.event)
  if (message.kind === 'request') void answerRequest(message.id, message.walletRequest)
  if (message.kind !== 'call') return
  const { id, request } = message
  const received = { ...request, body: Buffer.from(request.body) }
  party?.wallet.host(received, (given) => events.push({ kind: 'answer', id, answer: given }))
}

function applySocketEvent(socket: ClientSocket | undefined, event: SocketEvent): void {
  if (socket === undefined || socket.destroyed) return
  if (event.kind === 'connected') socket.connected()
  else if (event.kind === 'data') socket.give(Buffer.from(event.data))
  else if (event.kind === 'hung up') socket.hangUp()
  else if (event.kind === 'broken') socket.breaks(event.code)
}

async function answerRequest(id: number, walletRequest: WalletRequest): Promise<void> {
  try {
    events.push({ kind: 'resolve', id, value: await performRequest(walletRequest) })
  } catch (error) {
    events.push({ kind: 'reject', id, error: errorWithStack(error) })
  }
}

async function performRequest(walletRequest: WalletRequest): Promise<string> {
  if (walletRequest.kind === 'begin') return startWallet(walletRequest)
  if (party === undefined) throw new Error('the wallet has not begun')
  if (walletRequest.kind === 'move') return moveByHand(party.wallet, walletRequest)
  if (walletRequest.kind === 'open account') return openAccount(party.wallet, walletRequest.userId)
  await party.db.close()
  return ''
}

async function startWallet({ number, url, fault }: WalletStart): Promise<string> {
  const db = await openPostgres(url, { newSocket })
  const planted = fault === undefined ? db : (findLocksFault(fault).wallet?.(db, number) ?? db)
  const note = (text: string) => void events.push({ kind: 'note', text })
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
 * A seed must give the same run on every machine, but the number of lanes (queues of calls) depends
 * on the processors.
 */
function withSingleLane(db: Db): Db {
  return { ...db, kind: 'pglite' }
}

function newSocket() {
  const number = sockets.size + 1
  const made = new ClientSocket({
    onData: (data) => void events.push({ kind: 'send', socket: number, data }),
    onEnd: () => void events.push({ kind: 'close', socket: number }),
  })
  sockets.set(number, made)
  events.push({ kind: 'open', socket: number })
  return made.asSocket()
}

async function moveByHand(
  { operator }: WalletParty,
  { userId, direction, euros, reference }: ManualMovement,
): Promise<MovementOutcome> {
  const body = { currency: 'EUR', amount: `${euros}.00`, reference }
  try {
    await moveCash(operator, AUTHORS.wallet(), userId, direction, body)
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
