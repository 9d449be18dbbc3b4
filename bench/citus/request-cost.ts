// Measures the cost of two API requests on Citus, a read of the feed and a deposit, on an idle
// wallet.
import { randomUUID } from 'node:crypto'
import { readFamilySeconds } from '../processor-time.ts'
import { TEMPLATE } from '../seed-players.ts'
import { OPERATOR_KEY } from '../subjects.ts'

const WARM_UP = 8
const TIMES = 20
const MS_PER_S = 1_000

/**
 * Milliseconds per request: latency, and CPU time of the wallet and of each node, coordinator
 * first. A string is the error of a request without a reply.
 */
export type RequestCost = { readonly ms: number; readonly wallet: number; readonly nodes: readonly number[] } | string

type Pids = { readonly wallet: number; readonly nodes: readonly number[] }

export async function measureRequestCosts(url: string, pids: Pids): Promise<Record<'look' | 'deposit', RequestCost>> {
  let after = 'latest'
  const look = async () => {
    after = ((await send(`${url}/operator/changes?after=${after}`)) as { next: string }).next
  }
  const deposit = () =>
    send(`${url}/operator/players/${TEMPLATE}/deposits`, { currency: 'EUR', amount: '1.00', reference: randomUUID() })
  const toErrorText = (error: Error) => error.message
  return {
    look: await measured(look, pids).catch(toErrorText),
    deposit: await measured(deposit, pids).catch(toErrorText),
  }
}

async function measured(work: () => Promise<unknown>, { wallet, nodes }: Pids): Promise<RequestCost> {
  for (let i = 0; i < WARM_UP; i++) await work()
  const used = () => [wallet, ...nodes].map(readFamilySeconds)
  const [before, begun] = [used(), performance.now()]
  for (let i = 0; i < TIMES; i++) await work()
  const ms = (performance.now() - begun) / TIMES
  const [its = 0, ...theirs] = used().map((seconds, i) => ((seconds - (before[i] ?? 0)) * MS_PER_S) / TIMES)
  return { ms, wallet: its, nodes: theirs }
}

async function send(url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, ...(body && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`)
  return response.json()
}
