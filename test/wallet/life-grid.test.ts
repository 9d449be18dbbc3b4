// Lives through every cell of life-grid.ts under the first clawback policy; life-grid.long.test.ts does so under the second, and with age locks.
import { describe, expect, it } from 'vitest'
import { calls, variants } from './life-grid.ts'
import { expectLine, lines, linesOf, walletWith, waysOf } from './life-grid-lived.ts'

describe('the grid', () => {
  it.each(calls)('has one line for %s in every variant that there is of it, with a cell for every past', (call) => {
    const needed = Object.keys(variants).filter((name) => (variants[name]?.of ?? calls).includes(call))
    expect(
      linesOf(call)
        .map(([name]) => name)
        .sort(),
    ).toEqual(needed.sort())
  })
})

describe('with PURSER_CLAWBACK=refuse', () => {
  walletWith({ PURSER_CLAWBACK: 'refuse' })

  it.each(lines)('$call, $name', (line) => expectLine(line, waysOf(line.name), { policy: 0 }))
})
