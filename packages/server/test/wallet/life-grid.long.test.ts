// Runs every cell of life-grid.ts in every way: with the other clawback policy (L-2), locked by age
// (L-3), and without the fast path. One line in eight is due each day.
import { describe, it } from 'vitest'
import { dueOf } from '../support/nightly.ts'
import { expectLine, lines, pastNames, walletWith, waysOf } from './life-grid-lived.ts'

const DAYS = 8
const due = dueOf(lines, DAYS)

describe('with PURSER_CLAWBACK=refuse', () => {
  walletWith({ PURSER_CLAWBACK: 'refuse' })

  it.each(due)('the wallet handles $call: $name', (line) => expectLine(line, waysOf(line.name), { policy: 0 }))
})

// It also has several buckets, because a bet must not depend on the bucket of its player.
describe('with PURSER_CLAWBACK=allow-negative and PURSER_BUCKETS=8', () => {
  walletWith({ PURSER_CLAWBACK: 'allow-negative', PURSER_BUCKETS: '8' })

  it.each(due)('the wallet handles $call: $name', (line) => expectLine(line, waysOf(line.name), { policy: 1 }))
})

describe('with PURSER_RESETTLE_WINDOW=2 a bet settled three days ago is locked:', () => {
  walletWith({ PURSER_RESETTLE_WINDOW: '2' })
  const of = pastNames.filter((past) => past !== 'nothing')
  const ofLocked = due.filter(({ name }) => waysOf(name).some((way) => way.locked))

  it.each(ofLocked)('the wallet handles $call: $name', (line) => {
    const unlocked = waysOf(line.name).map(({ locked: _, ...way }) => way)
    return expectLine(line, unlocked, { of, pause: 3 * 86_400_000 })
  })
})

describe('with PURSER_FAST_PATH=off', () => {
  walletWith({ PURSER_FAST_PATH: 'off', PURSER_CLAWBACK: 'refuse' })

  it.each(due)('the wallet handles $call: $name', (line) => expectLine(line, waysOf(line.name), { policy: 0 }))
})
