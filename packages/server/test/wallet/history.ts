// Bet histories as data: each step is a call, its expected answer and the balance afterwards.
import { expect } from 'vitest'
import { expectAnswer } from './answers.ts'
import { cashout } from './life-row.ts'
import { balanceOf, type Column, deliver, type Members, resend, type Scene } from './scene.ts'

export interface Step {
  call: Column
  with?: Members
  /** The latest call of that operation, byte for byte. */
  again?: true
  answers: number
  balance: string
}

export const results = {
  won: { resultType: 'won', amount: 200 },
  lost: { resultType: 'lost', amount: 0 },
  refund: { resultType: 'refund', amount: 100 },
  partRefund: { resultType: 'refund', amount: 60 },
  cashout,
} as const
export type Result = keyof typeof results

export function step(call: Column, answers: number, balance: string, over: Members = {}): Step {
  return { call, answers, balance, with: over }
}

export function settle(result: Result, answers: number, balance: string): Step {
  return step('settle', answers, balance, results[result])
}

export function repeated(call: Column, answers: number, balance: string): Step {
  return { call, answers, balance, again: true }
}

export async function live(scene: Scene, steps: Step[]): Promise<void> {
  for (const [index, { call, with: over, again, answers, balance }] of steps.entries()) {
    const token = over?.resultType === 'cashout' ? { token: scene.token } : {}
    const answer = await (again ? resend(scene, call) : deliver(scene, call, { ...over, ...token }))
    expectAnswer(answer, answers, scene.betId)
    expect({ step: index + 1, call, balance: await balanceOf(scene) }).toEqual({ step: index + 1, call, balance })
  }
}
