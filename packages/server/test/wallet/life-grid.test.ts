// Every call has a line for each of its variants. life-grid.long.test.ts runs their cells.
import { describe, expect, it } from 'vitest'
import { calls, variants } from './life-grid.ts'
import { linesOf } from './life-grid-lived.ts'

describe('the grid of call histories', () => {
  it.each(calls)('has one row for %s in each variant, with a cell for each history', (call) => {
    const needed = Object.keys(variants).filter((name) => (variants[name]?.of ?? calls).includes(call))
    expect(
      linesOf(call)
        .map(([name]) => name)
        .sort(),
    ).toEqual(needed.sort())
  })
})
