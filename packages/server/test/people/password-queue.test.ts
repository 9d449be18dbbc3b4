/**
 * Password checks wait in a queue (U-4), in which addresses with wrong guesses never block other
 * addresses.
 */
import { describe, expect, test } from 'vitest'
import {
  createPasswordQueue,
  MAX_WAITING_ADDRESSES,
  type PasswordQueue,
} from '../../src/core/auth/sign-in/password-queue.ts'

const guessed = 30

/** Occupies the queue until `release`. */
function hold(queue: PasswordQueue) {
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  const first = queue.run(
    'first',
    async () => 0,
    () => held,
  )
  return {
    release() {
      release()
      return first
    },
  }
}

/** A queue that is occupied until `release`. */
function taken() {
  const queue = createPasswordQueue()
  const order: string[] = []
  const ask = (address: string, failures: number) =>
    queue.run(
      address,
      async () => failures,
      async () => void order.push(address),
    )
  return { queue, ask, order, ...hold(queue) }
}

describe('the password queue', () => {
  test('serves an address without failures before those that guess', async () => {
    const { ask, order, release } = taken()
    const guesses = [ask('a guesser', guessed), ask('another guesser', guessed)]
    const mine = ask('mine', 0)
    await release()
    await Promise.all([...guesses, mine])
    expect(order).toEqual(['mine', 'a guesser', 'another guesser'])
  })

  test('gives the slot of the worst guesser to an address without failures', async () => {
    const { ask, order, release } = taken()
    const guesses = Array.from({ length: MAX_WAITING_ADDRESSES }, (_, i) => ask(`guesser ${i}`, guessed + i))
    const outcomes = Promise.allSettled(guesses)
    const mine = ask('mine', 0)
    await release()
    await mine
    expect(order[0]).toBe('mine')
    const lost = (await outcomes).flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))
    expect(lost).toEqual([MAX_WAITING_ADDRESSES - 1])
  })

  test('serves an address with a recent right password before new addresses', async () => {
    const { queue, ask, order, release } = taken()
    const right = queue.run(
      'mine',
      async () => 0,
      async () => 'a person',
    )
    await release()
    expect(await right).toBe('a person')
    const held = hold(queue)
    const outcomes = Promise.allSettled(Array.from({ length: MAX_WAITING_ADDRESSES }, (_, i) => ask(`fresh ${i}`, 0)))
    const mine = ask('mine', 1)
    await held.release()
    await mine
    expect(order[0]).toBe('mine')
    expect((await outcomes).filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })

  test('refuses another guesser with as many failures, and serves it later', async () => {
    const { ask, release } = taken()
    const guesses = Array.from({ length: MAX_WAITING_ADDRESSES }, (_, i) => ask(`guesser ${i}`, guessed))
    await expect(ask('late', guessed)).rejects.toMatchObject({ code: 'busy' })
    await release()
    await Promise.all(guesses)
    await ask('late', guessed)
  })

  test('gives no slot to addresses that are throttled', async () => {
    const { queue, ask, release } = taken()
    const never = new Promise<number>(() => {})
    for (let i = 0; i < 2 * MAX_WAITING_ADDRESSES; i++)
      void queue.run(
        `paused ${i}`,
        () => never,
        async () => {},
      )
    const mine = ask('mine', 0)
    await release()
    await mine
  })

  test('continues after work that failed, and after a failed delay', async () => {
    const queue = createPasswordQueue()
    const fail = () => Promise.reject(new Error('planned'))
    await expect(queue.run('a', async () => 0, fail)).rejects.toThrow('planned')
    await expect(queue.run('a', fail, async () => {})).rejects.toThrow('planned')
    expect(
      await queue.run(
        'a',
        async () => 0,
        async () => 'done',
      ),
    ).toBe('done')
  })
})
