/** The queue of passwords (U-4): addresses that guess keep no other address out. */
import { describe, expect, test } from 'vitest'
import { createPasswordQueue, MAX_PLACES } from '../../src/people/password-queue.ts'

const guessed = 30

/** A queue whose turn is taken until `release`. */
function taken() {
  const queue = createPasswordQueue()
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  const order: string[] = []
  const ask = (address: string, failures: number) =>
    queue.run(
      address,
      async () => failures,
      async () => void order.push(address),
    )
  const first = queue.run(
    'first',
    async () => 0,
    () => held,
  )
  return { queue, ask, order, release: () => (release(), first) }
}

describe('the queue of passwords', () => {
  test('lets an address that has not failed go before those that guess', async () => {
    const { ask, order, release } = taken()
    const guesses = [ask('a guesser', guessed), ask('another guesser', guessed)]
    const mine = ask('mine', 0)
    await release()
    await Promise.all([...guesses, mine])
    expect(order).toEqual(['mine', 'a guesser', 'another guesser'])
  })

  test('gives a place of the worst guesser to an address that has not failed', async () => {
    const { ask, order, release } = taken()
    const guesses = Array.from({ length: MAX_PLACES }, (_, i) => ask(`guesser ${i}`, guessed + i))
    const outcomes = Promise.allSettled(guesses)
    const mine = ask('mine', 0)
    await release()
    await mine
    expect(order[0]).toBe('mine')
    const lost = (await outcomes).flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))
    expect(lost).toEqual([MAX_PLACES - 1])
  })

  test('refuses one more guesser who has failed as often, and works for it later', async () => {
    const { ask, release } = taken()
    const guesses = Array.from({ length: MAX_PLACES }, (_, i) => ask(`guesser ${i}`, guessed))
    await expect(ask('late', guessed)).rejects.toMatchObject({ code: 'busy' })
    await release()
    await Promise.all(guesses)
    await ask('late', guessed)
  })

  test('gives no place to addresses that are in their pause', async () => {
    const { queue, ask, release } = taken()
    const never = new Promise<number>(() => {})
    for (let i = 0; i < 2 * MAX_PLACES; i++)
      void queue.run(
        `paused ${i}`,
        () => never,
        async () => {},
      )
    const mine = ask('mine', 0)
    await release()
    await mine
  })

  test('goes on after work that failed, and after a pause that failed', async () => {
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
