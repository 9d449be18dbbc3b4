// One player with 1000.00 EUR, one bet of 100.00 in a given state, and the calls sent about it so
// far.
import { randomUUID } from 'node:crypto'
import { playerWithMoney } from '../support/operator.ts'
import type { TestWallet } from '../support/wallet.ts'
import { placeMessage, rollbackMessage, settleMessage, unsettleMessage } from '../support/wire.ts'
import { type Answer, answered, member } from './answers.ts'

export const states = ['nothing', 'open', 'settled', 'cancelled', 'refused'] as const
export type State = (typeof states)[number]

export const columns = ['place', 'settle', 'unsettle', 'rollback'] as const
export type Column = (typeof columns)[number]

export type Members = Record<string, unknown>

export interface SentCall {
  message: Members
  answer: Answer
}

export interface Scene {
  wallet: TestWallet
  userId: string
  token: string
  betId: string
  /** The latest call of each operation that `deliver` sent. */
  sent: Partial<Record<Column, SentCall>>
}

export interface SceneOptions {
  amount?: string
  currency?: string
  player?: Members
}

export async function newScene(wallet: TestWallet, options: SceneOptions = {}): Promise<Scene> {
  const { amount = '1000.00', currency = 'EUR', player = {} } = options
  const { userId, token } = await playerWithMoney(wallet.operator, amount, currency, player)
  return { wallet, userId, token, betId: randomUUID(), sent: {} }
}

export function nextBet(scene: Scene): Scene {
  return { ...scene, betId: randomUUID(), sent: {} }
}

/**
 * A complete, valid call about the scene's bet, with a new requestId; given members override it.
 */
export function callOf(scene: Scene, column: Column, over: Members = {}): Members {
  const bet = { transactionId: scene.betId, userId: scene.userId, currency: 'EUR', requestId: randomUUID() }
  switch (column) {
    case 'place':
      // The odds allow a payout of 300, so that a larger result is no anomaly (W-49).
      return placeMessage({
        ...bet,
        token: scene.token,
        amount: 100,
        bonusId: null,
        coefficient: 3,
        ...over,
      })
    case 'settle':
      return settleMessage({ ...bet, token: undefined, amount: 250, resultType: 'won', ...over })
    case 'unsettle':
      return unsettleMessage({ ...bet, token: undefined, amount: 100, ...over })
    case 'rollback':
      return rollbackMessage({ ...bet, token: scene.token, amount: 100, errorCode: 52, ...over })
  }
}

export function methodOf(column: Column): 'POST' | 'PUT' {
  return column === 'place' ? 'POST' : 'PUT'
}

export function sendCall(scene: Scene, column: Column, message: Members): Promise<Answer> {
  return scene.wallet.wire.call(methodOf(column), '/payment/bet', message)
}

export async function deliver(scene: Scene, column: Column, over: Members = {}): Promise<Answer> {
  const message = callOf(scene, column, over)
  const answer = await sendCall(scene, column, message)
  scene.sent[column] = { message, answer }
  return answer
}

/** Sends the scene's latest call of that operation again, byte for byte. */
export function resend(scene: Scene, column: Column): Promise<Answer> {
  return sendCall(scene, column, sentBefore(scene, column).message)
}

export function sentBefore(scene: Scene, column: Column): SentCall {
  const sent = scene.sent[column]
  if (!sent) throw new Error(`this scene has not seen a ${column} yet`)
  return sent
}

/** Like `deliver`, for preparing steps: throws unless the call succeeds. */
export async function must(scene: Scene, column: Column, over: Members = {}): Promise<Answer> {
  const answer = await deliver(scene, column, over)
  if (answer.status !== 200) throw new Error(`${column} should have prepared the scene: ${JSON.stringify(answer)}`)
  return answer
}

export async function bring(scene: Scene, state: State): Promise<void> {
  if (state === 'refused') {
    const answer = await deliver(scene, 'place', { amount: 5000 })
    if (answered(answer) !== 7) throw new Error(`5000 of 1000 was not refused with 7: ${JSON.stringify(answer)}`)
  } else if (state !== 'nothing') await must(scene, 'place')
  if (state === 'settled') await must(scene, 'settle')
  if (state === 'cancelled') await must(scene, 'rollback')
}

/** The operator's view of the bet. A bet with only refused calls is still 'nothing'. */
export async function stateOf(scene: Scene): Promise<unknown> {
  const { status, body } = await betView(scene)
  const state = member(body, 'status')
  return status === 404 || state === 'unknown' ? 'nothing' : state
}

export function betView(scene: Scene): Promise<Answer> {
  const path = `/operator/players/${encodeURIComponent(scene.userId)}/bets/${encodeURIComponent(scene.betId)}`
  return scene.wallet.operator.request('GET', path)
}

export function balanceOf(scene: Scene, currency = 'EUR'): Promise<string> {
  return scene.wallet.operator.balance(scene.userId, currency)
}

export async function anomaliesOf(scene: Scene): Promise<boolean> {
  const { body } = await scene.wallet.operator.request('GET', '/operator/anomalies')
  return JSON.stringify(body).includes(scene.betId)
}
