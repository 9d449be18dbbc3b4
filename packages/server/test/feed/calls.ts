/** Reads the journal of calls of a wallet under test through the wallet's API. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TestWallet } from '../support/wallet.ts'

export interface Call {
  at: string
  id: string
  operation: string
  outcome: string
  player?: string
  transactionId?: string
  requestId?: string
  signature: string
  source: string
  request: { body: string; bytes: number; sha256: string }
  answer: { status: number; code?: number; body: string }
  batch?: string
  milliseconds: { arrival: number; work: number; queue?: number; database?: number; reply?: number }
}

export async function page(wallet: TestWallet, query: string): Promise<{ data: Call[]; next: string | null }> {
  const { status, body } = await wallet.operator.request('GET', `/operator/calls?${query}`)
  expect(status).toBe(200)
  return body as never
}

async function seen(wallet: TestWallet, query: string, isThere: (calls: Call[]) => boolean): Promise<Call[]> {
  let calls = (await page(wallet, query)).data
  while (!isThere(calls)) {
    await sleep(20)
    calls = (await page(wallet, query)).data
  }
  return calls
}

export const callsOf = (wallet: TestWallet, query: string, count: number) =>
  seen(wallet, query, ({ length }) => length >= count)

export async function callWith(wallet: TestWallet, query: string, text: string): Promise<Call | undefined> {
  const has = ({ request }: Call) => request.body.includes(text)
  return (await seen(wallet, query, (calls) => calls.some(has))).find(has)
}
