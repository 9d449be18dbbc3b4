/** A wallet whose name server does not answer delays no connections to other wallets (C-6). */
import type { LookupAddress } from 'node:dns'
import { type LookupOptions, lookup as systemLookup } from 'node:dns'
import { expect, test } from 'vitest'
import { cachedLookup, createCachingResolver } from '../../src/client/network/dns-cache.ts'

const MINUTE_MS = 60_000
const at = (address: string): LookupAddress[] => [{ address, family: 4 }]

/** A resolver that the test answers, and a clock that the test moves. */
function scene() {
  const open: { name: string; answer(address: string): void; fail(): void }[] = []
  const time = { now: 0 }
  const ask = (name: string) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      open.push({ name, answer: (address) => resolve(at(address)), fail: () => reject(new Error('nobody knows it')) })
    })
  return { open, time, resolve: createCachingResolver(ask, () => time.now) }
}

test('a name is looked up once for any number of waiting connections, and again after a failure', async () => {
  const { open, resolve } = scene()
  const waiting = Array.from({ length: 5 }, () => resolve('dead.example'))
  expect(open).toHaveLength(1)
  open[0]?.fail()
  const answers = await Promise.allSettled(waiting)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['rejected']))
  const again = resolve('dead.example')
  expect(open).toHaveLength(2)
  open[1]?.answer('192.0.2.1')
  expect(await again).toEqual(at('192.0.2.1'))
})

test('a cached address is used while a lookup is pending, and the next result replaces it', async () => {
  const { open, time, resolve } = scene()
  const first = resolve('wallet.example')
  open[0]?.answer('192.0.2.1')
  expect(await first).toEqual(at('192.0.2.1'))
  time.now = 5_000
  expect(await resolve('wallet.example')).toEqual(at('192.0.2.1'))
  expect(open).toHaveLength(1)
  time.now = MINUTE_MS
  expect(await resolve('wallet.example')).toEqual(at('192.0.2.1')) // the second lookup is still pending
  expect(open).toHaveLength(2)
  open[1]?.answer('192.0.2.2')
  await new Promise(setImmediate)
  expect(await resolve('wallet.example')).toEqual(at('192.0.2.2'))
})

test('an expired address is never used again', async () => {
  const { open, time, resolve } = scene()
  const first = resolve('wallet.example')
  open[0]?.answer('192.0.2.1')
  await first
  time.now = 11 * MINUTE_MS
  const later = resolve('wallet.example')
  open[1]?.fail()
  await expect(later).rejects.toThrow('nobody knows it')
})

test.each([{ all: true }, {}, { family: 4 }] satisfies LookupOptions[])(
  'the lookup for sockets returns the same as the system: %j',
  async (options) => {
    const answer = (ask: typeof cachedLookup) =>
      new Promise((resolve) => ask('localhost', options, (...all: unknown[]) => resolve(all)))
    expect(await answer(cachedLookup)).toEqual(await answer(systemLookup as typeof cachedLookup))
  },
)
