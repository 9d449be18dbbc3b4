/**
 * Generators of fast-check for lists of steps. A generated list has a fixed length, and a shrunk
 * list is shorter.
 */
import fc from 'fast-check'
import { type Step, stepOf } from './steps.ts'

/**
 * Histories of exactly `calls` calls, which shrink first by calls, then by the operator's actions.
 */
export function histories(calls: number): fc.Arbitrary<Step[]> {
  return new Lists(calls, stepOf(12), simpler)
}

/** `count` histories with many concurrent calls, which shrink first by whole histories. */
export function tables(count: number, calls: number): fc.Arbitrary<Step[][]> {
  const together = new Lists(calls, stepOf(2), simpler)
  return new Lists(count, together, function* (all) {
    for (const [index, steps] of all.entries())
      for (const shrunk of shorter(steps, simpler)) yield all.with(index, shrunk)
  })
}

type Details<T> = (items: T[]) => Iterable<T[]>

/** fast-check's own array cannot do both: fix the generated length and shrink it. */
class Lists<T> extends fc.Arbitrary<T[]> {
  private readonly length: number
  private readonly item: fc.Arbitrary<T>
  private readonly details: Details<T>

  constructor(length: number, item: fc.Arbitrary<T>, details: Details<T>) {
    super()
    this.length = length
    this.item = item
    this.details = details
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<T[]> {
    const items = Array.from({ length: this.length }, () => this.item.generate(random, bias).value)
    return new fc.Value(items, undefined)
  }

  override canShrinkWithoutContext(value: unknown): value is T[] {
    return Array.isArray(value)
  }

  override shrink(items: T[]): fc.Stream<fc.Value<T[]>> {
    return fc.stream(shorter(items, this.details)).map((shrunk) => new fc.Value(shrunk, undefined))
  }
}

function* shorter<T>(items: T[], details: Details<T>): Generator<T[]> {
  for (let size = items.length >> 1; size >= 1; size >>= 1)
    for (let end = items.length; end >= size; end -= size) yield items.toSpliced(end - size, size)
  yield* details(items)
}

function* simpler(steps: Step[]): Generator<Step[]> {
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    if (step.before !== undefined && next !== undefined && next.before === undefined)
      yield steps.toSpliced(index, 2, { ...next, before: step.before })
    if (step.before !== undefined) yield steps.with(index, { ...step, before: undefined })
    for (const call of step.calls.keys())
      if (step.calls.length > 1) yield steps.with(index, { ...step, calls: step.calls.toSpliced(call, 1) })
  }
}
