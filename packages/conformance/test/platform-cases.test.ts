/**
 * Every row P1 to P18 of the case catalogue has a platform case. The ids and texts of platform
 * cases are unique.
 */
import { expect, test } from 'vitest'
import { PLATFORM_CASES } from '../src/platform/platform-cases.ts'

const ROWS = Array.from({ length: 18 }, (_, i) => `P${i + 1}`)

test('every row of part H has a platform case, and no other case exists', () => {
  expect([...new Set(PLATFORM_CASES.flatMap(({ covers }) => covers))].toSorted()).toEqual(ROWS.toSorted())
})

test('the ids of platform cases are unique and have one form', () => {
  const ids = PLATFORM_CASES.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^platform-[a-z]+-\d\d$/.test(id))).toEqual([])
})

test('each platform case states its expectation and its cost in its own words', () => {
  const sentences = PLATFORM_CASES.map(({ sentence }) => sentence)
  expect(new Set(sentences).size).toBe(sentences.length)
  expect(
    PLATFORM_CASES.filter(({ sentence, loses, clause }) => !/\.$/.test(sentence) || !/\.$/.test(loses) || !clause),
  ).toEqual([])
})

test('no two platform cases send and expect the same', () => {
  const scenes = PLATFORM_CASES.flatMap((one) =>
    one.kind === 'scene' ? [JSON.stringify([one.answers, one.acts, one.expect])] : [],
  )
  expect(new Set(scenes).size).toBe(scenes.length)
})

test('a case that ends with an expected call does not count calls that may still arrive', () => {
  const racing = PLATFORM_CASES.flatMap((one) => {
    const last = one.kind === 'scene' ? one.acts.at(-1) : undefined
    if (one.kind !== 'scene' || last?.kind !== 'await') return []
    const counts = one.expect.some((it) => it.kind === 'count' && it.call === last.call && Number.isFinite(it.to))
    return counts ? [one.id] : []
  })
  expect(racing).toEqual([])
})
