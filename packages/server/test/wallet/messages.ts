// A complete, valid message of each kind, and a bet in the state in which it takes effect.
import { randomUUID } from 'node:crypto'
import { IS_NIGHTLY } from '../support/nightly.ts'
import type { TestWallet } from '../support/wallet.ts'
import { type Answer, answered } from './answers.ts'
import type { MessageName } from './broken-members.ts'
import { cashout } from './life-row.ts'
import { bring, callOf, type Members, newScene, type Scene, type State } from './scene.ts'

export interface Route {
  method: 'POST' | 'PUT'
  path: string
}

export const routes: Record<MessageName, Route> = {
  place: { method: 'POST', path: '/payment/bet' },
  settle: { method: 'PUT', path: '/payment/bet' },
  cashout: { method: 'PUT', path: '/payment/bet' },
  unsettle: { method: 'PUT', path: '/payment/bet' },
  rollback: { method: 'PUT', path: '/payment/bet' },
  profile: { method: 'POST', path: '/user/profile' },
  balance: { method: 'POST', path: '/user/balance' },
  check: { method: 'POST', path: '/payment/check' },
}

export const messageNames: MessageName[] = [
  'place',
  'settle',
  'cashout',
  'unsettle',
  'rollback',
  'profile',
  'balance',
  'check',
]

/** A daily run tests the decoder's tables with one message of each shape. */
export const typicalMessages: MessageName[] = IS_NIGHTLY ? messageNames : ['place', 'settle', 'profile']

const before: Record<MessageName, State> = {
  place: 'nothing',
  settle: 'open',
  cashout: 'open',
  unsettle: 'settled',
  rollback: 'open',
  profile: 'open',
  balance: 'open',
  check: 'open',
}

export async function sceneFor(wallet: TestWallet, name: MessageName): Promise<Scene> {
  const scene = await newScene(wallet)
  await bring(scene, before[name])
  return scene
}

export function messageOf(scene: Scene, name: MessageName): Members {
  const { token, userId, betId } = scene
  switch (name) {
    case 'cashout':
      return callOf(scene, 'settle', { ...cashout, token })
    case 'profile':
      return { token, requestId: randomUUID() }
    case 'balance':
      return { token, userId, currency: 'EUR', requestId: randomUUID() }
    case 'check':
      return { transactionId: betId, userId }
    default:
      return callOf(scene, name)
  }
}

export function sendText(scene: Scene, name: MessageName, text: string): Promise<Answer> {
  return scene.wallet.wire.call(routes[name].method, routes[name].path, text)
}

/** The control of each test that breaks a message: the unbroken message succeeds. */
export async function mustSucceed(scene: Scene, name: MessageName): Promise<void> {
  const answer = await sendText(scene, name, JSON.stringify(messageOf(scene, name)))
  if (answered(answer) !== 200) throw new Error(`the valid ${name} was not accepted: ${JSON.stringify(answer)}`)
}
