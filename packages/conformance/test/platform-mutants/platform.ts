/**
 * A small platform in memory for the tests of the kit. It serves the part of the platform API that
 * the kit uses. `Behaviour` contains all its decisions. Its memory survives `kill()`, like a
 * database.
 */
import { randomUUID } from 'node:crypto'
import { once, setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Behaviour, Members, Operation, Outcome } from './behaviour.ts'
import { callPartner, outcomeOf } from './call.ts'

interface Partner {
  readonly partnerId: string
  readonly baseUrl: string
  readonly secret: string
}

interface Frame {
  readonly partnerId: string
  readonly token: string
  readonly userId: string
  readonly currency: string
  readonly operatorUser?: string
}

interface Delivery {
  readonly operation: Operation
  readonly members: Members
  attempts: number
  /** On the monotonic clock. */
  firstAt?: number
  status: 'pending' | 'done' | 'refused' | 'stuck'
}

interface Bet {
  readonly betId: string
  readonly frame: Frame
  readonly stake: string
  status: 'placing' | 'accepted' | 'declined' | 'cancelled' | 'settled'
  payout: string
  readonly deliveries: Delivery[]
}

export interface TestPlatform {
  readonly url: string
  readonly key: string
  /** Dies and starts again with its memory. */
  restart(): Promise<void>
  stop(): Promise<void>
}

interface State {
  readonly behaviour: Behaviour
  readonly partners: Map<string, Partner>
  readonly frames: Map<string, Frame>
  readonly bets: Map<string, Bet>
  /** The latest currency by userId. */
  readonly newest: Map<string, string>
  /** A kill aborts it, and a restart makes a new one. */
  life: AbortController
  /** The end of the previous call, if all calls use one lane. */
  lane: Promise<unknown>
}

const KEY = 'the-key-of-the-test-platform'

export async function startTestPlatform(behaviour: Behaviour): Promise<TestPlatform> {
  const maps = { partners: new Map(), frames: new Map(), bets: new Map(), newest: new Map() }
  const state: State = { behaviour, ...maps, life: newLife(), lane: Promise.resolve() }
  const server = createServer((request, response) => void answer(state, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the test platform has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    key: KEY,
    async restart() {
      kill(state, server)
      await sleep(5)
      start(state)
    },
    async stop() {
      kill(state, server)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Every call and every pause waits for this signal. */
function newLife(): AbortController {
  const life = new AbortController()
  setMaxListeners(0, life.signal)
  return life
}

function kill(state: State, server: Server): void {
  state.life.abort()
  server.closeAllConnections()
}

function start(state: State): void {
  const { placing, forgets } = state.behaviour.afterRestart
  state.life = newLife()
  state.lane = Promise.resolve()
  for (const bet of state.bets.values()) {
    if (bet.status === 'placing' && placing === 'rolled_back') rollBack(state, bet, 50)
    else if (bet.status === 'placing') bet.status = placing === 'forgotten' ? 'declined' : 'accepted'
    else if (bet.deliveries.some(({ status, operation }) => status === 'pending' && !forgets.includes(operation)))
      void deliver(state, bet)
  }
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>)
  const result = await route(state, `${request.method} ${request.url}`, body)
  if (!response.destroyed) response.writeHead(result === undefined ? 404 : 200).end(JSON.stringify(result ?? {}))
}

async function route(state: State, call: string, body: Record<string, string>): Promise<object | undefined> {
  const [, betId = '', action = ''] = /\/bets\/([^/]+)\/?(\w*)$/.exec(call) ?? []
  const bet = state.bets.get(betId)
  if (call === 'POST /partners') return register(state, body as unknown as Partner)
  if (call === 'POST /frame-sessions') return loadFrame(state, body.partnerId ?? '', body.token ?? '')
  if (call === 'POST /bets') return place(state, body.frameSessionId ?? '', body.amount ?? '')
  if (bet === undefined) return undefined
  if (action === 'settle') return settle(state, bet, body)
  if (action === 'unsettle') return unsettle(state, bet)
  if (action === 'cancel') return rollBack(state, bet, Number(body.errorCode))
  return { status: bet.status, deliveries: bet.deliveries.map((one) => show(state, one)) }
}

function register({ partners }: State, partner: Partner): object {
  partners.set(partner.partnerId, partner)
  return partner
}

function show({ behaviour }: State, { operation, status }: Delivery): object {
  return { operation, status: behaviour.shows(operation, status) }
}

async function loadFrame(state: State, partnerId: string, token: string): Promise<object | undefined> {
  const partner = state.partners.get(partnerId)
  if (partner === undefined) return undefined
  const isKnown = (frame: Frame) => frame.partnerId === partnerId && state.behaviour.isSameToken(frame.token, token)
  const [known] = [...state.frames].find(([, frame]) => isKnown(frame)) ?? []
  if (known !== undefined) return { frameSessionId: known }
  const text = JSON.stringify({ token, requestId: randomUUID() })
  const signature = state.behaviour.sign('profile', text, partner.secret)
  const target = { url: `${partner.baseUrl}/user/profile`, method: 'POST', text, signature } as const
  const answered = await callPartner(state.behaviour, { ...target, killed: state.life.signal })
  if ('kind' in answered) return undefined
  const { userId, currency, operatorUser } = JSON.parse(answered.text) as Frame
  const frameSessionId = randomUUID()
  state.frames.set(frameSessionId, { partnerId, token, userId, currency, ...(operatorUser && { operatorUser }) })
  state.newest.set(userId, currency)
  return { frameSessionId }
}

async function place(state: State, frameSessionId: string, stake: string): Promise<object | undefined> {
  const frame = state.frames.get(frameSessionId)
  if (frame === undefined) return undefined
  const bet: Bet = { betId: randomUUID(), frame, stake, status: 'placing', payout: '0', deliveries: [] }
  state.bets.set(bet.betId, bet)
  const life = state.life.signal
  const members = write(state, bet, 'place', stake, { token: JSON.stringify(frame.token), ip: '"10.0.0.1"' })
  const outcome = await send(state, bet, { operation: 'place', members, attempts: 0, status: 'pending' })
  if (life.aborted) return undefined // killed before the outcome was stored
  if (outcome.kind === 'accepted') bet.status = 'accepted'
  if (state.behaviour.rollsBack(outcome)) return rollBack(state, bet, state.behaviour.reason(outcome))
  if (outcome.kind !== 'accepted') bet.status = 'declined'
  return { betId: bet.betId, status: bet.status }
}

function settle(state: State, bet: Bet, { resultType, amount = '0' }: Record<string, string>): object {
  const token = resultType === 'cashout' ? JSON.stringify(bet.frame.token) : undefined
  bet.status = 'settled'
  bet.payout = amount
  return decide(state, bet, 'settle', write(state, bet, 'settle', amount, { resultType: `"${resultType}"`, token }))
}

function unsettle(state: State, bet: Bet): object {
  bet.status = 'accepted'
  return decide(state, bet, 'unsettle', write(state, bet, 'unsettle', bet.payout, {}))
}

function rollBack(state: State, bet: Bet, reason: number): object {
  bet.status = 'cancelled'
  const extra = { token: JSON.stringify(bet.frame.token), errorCode: String(reason) }
  return decide(state, bet, 'rollback', write(state, bet, 'rollback', bet.stake, extra))
}

function write(state: State, { betId, frame }: Bet, operation: Operation, amount: string, extra: Members): Members {
  const { userId, currency, operatorUser } = frame
  const type = { place: '1', unsettle: '1', settle: '2', rollback: '3' }[operation]
  const named = { userId: JSON.stringify(userId), currency: `"${currency}"`, transactionId: `"${betId}"` }
  const aggregatorFields = { operatorUser: operatorUser && JSON.stringify(operatorUser) }
  const requestId = `"${state.behaviour.oneRequestIdPerBet ? betId : randomUUID()}"`
  const members = {
    requestId,
    type,
    ...named,
    ...aggregatorFields,
    amount,
    ticketType: '"single"',
    gameType: '"sportsbook"',
    ...extra,
  }
  return state.behaviour.members(operation, members, { ...frame, newestCurrency: state.newest.get(userId) ?? currency })
}

function decide(state: State, bet: Bet, operation: Operation, members: Members): object {
  const delivery: Delivery = { operation, members, attempts: 0, status: 'pending' }
  const { order } = state.behaviour
  const pending = bet.deliveries.filter(({ status }) => status === 'pending')
  const isWorking = pending.length > 0
  const isTwin = pending.some((one) => one.operation === operation && one.members.amount === members.amount)
  if (order === 'unsettle_first' && operation === 'unsettle') bet.deliveries.unshift(delivery)
  else bet.deliveries.push(delivery)
  const isAtOnce = isTwin && state.behaviour.deliversBoth.includes(operation)
  if (order === 'all_at_once' || isAtOnce) void work(state, bet, delivery)
  else if (!isWorking) void deliver(state, bet)
  return { betId: bet.betId, status: bet.status }
}

/** Makes the deliveries of a bet one attempt at a time, the first unfinished delivery first. */
async function deliver(state: State, bet: Bet): Promise<void> {
  const life = state.life.signal
  for (;;) {
    const next = bet.deliveries.find(({ status }) => status === 'pending')
    if (next === undefined || life.aborted) return
    await attempt(state, bet, next, life)
  }
}

async function work(state: State, bet: Bet, delivery: Delivery): Promise<void> {
  const life = state.life.signal
  while (delivery.status === 'pending' && !life.aborted) await attempt(state, bet, delivery, life)
}

/** One attempt, and the pause after it. */
async function attempt(state: State, bet: Bet, delivery: Delivery, life: AbortSignal): Promise<void> {
  const { operation } = delivery
  if (operation === 'rollback' && delivery.attempts === 0) await sleep(state.behaviour.rollbackDelayMs)
  delivery.firstAt ??= performance.now()
  const outcome = await send(state, bet, delivery)
  if (life.aborted) return
  delivery.attempts += 1
  const next = state.behaviour.nextStart(operation, delivery.attempts)
  if (state.behaviour.isFinal(operation, outcome, delivery.attempts)) delivery.status = statusOf(operation, outcome)
  else if (next === undefined) delivery.status = 'stuck'
  else
    await sleep(Math.max(0, delivery.firstAt + next - performance.now()), undefined, { signal: life }).catch(() => {})
}

function statusOf(operation: Operation, outcome: Outcome): Delivery['status'] {
  const isDone = outcome.kind !== 'refused' || (operation === 'rollback' && outcome.code === 8)
  return isDone ? 'done' : 'refused'
}

async function send(state: State, bet: Bet, delivery: Delivery): Promise<Outcome> {
  if (state.behaviour.lanes === 'per_bet' || delivery.operation === 'place') return sendNow(state, bet, delivery)
  const mine = state.lane.then(() => sendNow(state, bet, delivery))
  state.lane = mine
  return mine
}

async function sendNow(state: State, bet: Bet, { operation, members, attempts }: Delivery): Promise<Outcome> {
  const { behaviour, partners, life } = state
  const partner = partners.get(bet.frame.partnerId)
  if (partner === undefined) throw new Error('a bet without its partner')
  const requestId = behaviour.newRequestIdPerAttempt.includes(operation) ? `"${randomUUID()}"` : members.requestId
  const sent = behaviour.retouch(operation, { ...members, requestId }, attempts + 1)
  const written = Object.entries(sent).flatMap(([name, json]) => (json === undefined ? [] : [`"${name}":${json}`]))
  const text = `{${written.join(', ')}}`
  const method = operation === 'place' ? 'POST' : 'PUT'
  const signature = behaviour.sign(operation, text, partner.secret)
  const target = { url: `${partner.baseUrl}/payment/bet`, method, text, signature, killed: life.signal } as const
  const copies = behaviour.sendsTwice.includes(operation) ? [target, target] : [target]
  const [answered] = await Promise.all(copies.map((one) => callPartner(behaviour, one)))
  return outcomeOf(answered ?? { kind: 'unknown', why: 'empty' }, bet.betId)
}
