/** Every history of one bet up to four steps against a wallet on Postgres, over HTTP: what the auditor says, the wallet answers. */
import { expect, test } from 'vitest'
import { audit, type Mind, newMind, type Verdict } from '../../src/simulate/one-bet/auditor.ts'
import { CALLS, describe, LETTERS, type Letter, requestOf, type Sent } from '../../src/simulate/one-bet/letters.ts'
import { OPENING } from '../../src/simulate/one-bet/world.ts'
import { type OperatorClient, playerWithMoney } from '../support/operator.ts'
import { startWallet } from '../support/wallet.ts'
import {
  type Members,
  type PartnerWire,
  placeMessage,
  replyCode,
  rollbackMessage,
  settleMessage,
  unsettleMessage,
  type WireReply,
} from '../support/wire.ts'

const LENGTH = 4
/** Histories under way at once. */
const SIDE_BY_SIDE = 24

interface Step {
  readonly letter: Letter
  /** Of a call: its request and what it must be answered. */
  readonly request: number
  readonly verdict: Verdict | undefined
  /** Minor units that the player has when the step is done. */
  readonly balance: bigint
}

interface Place {
  readonly mind: Mind
  readonly sent: Sent
  readonly requests: number
}

/** Those of full length: each shorter one is the beginning of one of them. */
function* histories(place: Place, steps: readonly Step[] = []): Generator<readonly Step[]> {
  if (steps.length === LENGTH) {
    yield steps
    return
  }
  for (const letter of LETTERS) {
    const found = follow(place, letter, steps.length + 1)
    if (found !== undefined) yield* histories(found.place, [...steps, found.step])
  }
}

function follow(place: Place, letter: Letter, moment: number): { step: Step; place: Place } | undefined {
  const { mind, sent, requests } = place
  const stepTo = (request: number, verdict: Verdict | undefined, after: Place) => ({
    step: { letter, request, verdict, balance: after.mind.balance },
    place: after,
  })
  switch (letter.kind) {
    case 'event': {
      const after = afterEvent(mind, letter.name)
      return after && stepTo(0, undefined, { ...place, mind: after })
    }
    case 'place with PUT': {
      const request = sent.place?.[0]
      return request === undefined ? undefined : stepTo(request, { status: 400, code: 5 }, place)
    }
    case 'call': {
      const { name } = letter
      const request = requestOf(letter, sent, requests)
      if (request === undefined) return undefined
      const judged = audit(mind, { name, request, moment, mayGoBelowZero: false })
      const isFresh = letter.sending === 'fresh'
      const then = isFresh ? { ...sent, [name]: [sent[name]?.[0] ?? request, request] as const } : sent
      return stepTo(request, judged.verdict, {
        mind: judged.mind,
        sent: then,
        requests: requests + (isFresh ? 1 : 0),
      })
    }
    default:
      return letter satisfies never
  }
}

/** The operator locks only what it knows as a bet. */
function afterEvent(mind: Mind, event: 'lock' | 'money' | 'token'): Mind | undefined {
  if (event === 'money') return { ...mind, balance: mind.balance > 0n ? 0n : OPENING }
  if (event === 'token') return mind.live ? { ...mind, live: false } : undefined
  return mind.status === 'open' || mind.status === 'settled' ? { ...mind, locked: !mind.locked } : undefined
}

interface Scene {
  readonly wire: PartnerWire
  readonly operator: OperatorClient
}

/** Throws with the story when the wallet says something else. */
async function live({ wire, operator }: Scene, steps: readonly Step[], number: number): Promise<void> {
  const { userId, token } = await playerWithMoney(operator, decimal(OPENING))
  const names = { userId, token, transactionId: `bet-number-${number}` }
  const times = new Map<number, string>()
  let balance: bigint = OPENING
  let isLocked = false
  for (const [i, step] of steps.entries()) {
    const { letter } = step
    if (letter.kind !== 'event') {
      const reply = await sendAs(wire, step, names)
      const said = answerOf(reply, step.verdict, times)
      if (said !== undefined) throw new Error(`${storyOf(steps.slice(0, i + 1))}: ${said}`)
    } else if (letter.name === 'money') await move(operator, userId, step.balance - balance)
    else if (letter.name === 'token') await done(operator, 'DELETE', `/operator/players/${userId}/sessions`)
    else {
      isLocked = !isLocked
      await done(operator, isLocked ? 'PUT' : 'DELETE', `/operator/players/${userId}/bets/${names.transactionId}/lock`)
    }
    balance = step.balance
  }
  const has = await operator.balance(userId)
  if (has !== decimal(balance))
    throw new Error(`${storyOf(steps)}: the player has ${has}, must have ${decimal(balance)}`)
}

function storyOf(steps: readonly Step[]): string {
  return steps.map(({ letter }) => describe(letter)).join(' → ')
}

function decimal(units: bigint): string {
  return `${units / 100n}.${`${units % 100n}`.padStart(2, '0')}`
}

function sendAs(wire: PartnerWire, { letter, request }: Step, names: Members): Promise<WireReply> {
  const name = letter.kind === 'call' ? letter.name : 'place'
  const said = CALLS[name]
  const members = { ...names, requestId: `request-number-${request}`, amount: Number(said.amount) / 100 }
  switch (said.kind) {
    case 'place':
      return wire.call(letter.kind === 'call' ? 'POST' : 'PUT', '/payment/bet', placeMessage(members))
    case 'settle':
      return wire.call('PUT', '/payment/bet', settleMessage({ ...members, resultType: said.resultType }))
    case 'unsettle':
      return wire.call('PUT', '/payment/bet', unsettleMessage(members))
    case 'rollback':
      return wire.call('PUT', '/payment/bet', rollbackMessage(members))
    default:
      return said satisfies never
  }
}

/** What is wrong with the answer. The time of a moment is that of the first answer that tells it. */
function answerOf(reply: WireReply, verdict: Verdict | undefined, times: Map<number, string>): string | undefined {
  if (verdict === undefined) throw new Error('a call has a verdict')
  if (verdict.status === 400)
    return reply.status === 400 && replyCode(reply) === verdict.code
      ? undefined
      : `answered ${reply.status} ${reply.text}, must be 400/${verdict.code}`
  const time = timeIn(reply)
  if (reply.status !== 200 || time === undefined) return `answered ${reply.status} ${reply.text}, must be 200`
  const told = times.get(verdict.moment)
  times.set(verdict.moment, told ?? time)
  return told === undefined || told === time ? undefined : `answered with the time ${time}, must be ${told}`
}

function timeIn({ body }: WireReply): string | undefined {
  const time = typeof body === 'object' && body !== null && !Array.isArray(body) ? body.transactionTime : undefined
  return typeof time === 'string' ? time : undefined
}

async function move(operator: OperatorClient, userId: string, units: bigint): Promise<void> {
  if (units > 0n) return operator.deposit(userId, decimal(units))
  await done(operator, 'POST', `/operator/players/${userId}/withdrawals`, {
    currency: 'EUR',
    amount: decimal(-units),
    reference: `all of it, ${Math.random()}`,
  })
}

async function done(operator: OperatorClient, method: string, path: string, body?: object): Promise<void> {
  const { status, body: answer } = await operator.request(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(answer)}`)
}

test('every history of one bet up to four steps is what the decisions say', { timeout: 600_000 }, async () => {
  const wallet = await startWallet()
  let number = 0
  const all = histories({ mind: newMind(OPENING), sent: {}, requests: 0 })
  const worker = async () => {
    for (const steps of all) await live(wallet, steps, ++number)
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
  expect(number).toBeGreaterThan(10_000)
  await wallet.auditIsClean()
  await wallet.stop()
})
