/**
 * The message about archived parts of a statement (O-13) fits into a spreadsheet cell, because
 * spreadsheets truncate longer texts silently.
 */
import { expect, test } from 'vitest'
import { describeFiles } from '../../src/wallet/operator-api/money/archived-ranges.ts'

const MAX_CELL = 32_767
const files = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ file: `purser-2031-05-${10_000 + i}.jsonl.gz`, account: i }))

test('the error about archived ranges names all files while there is room', () => {
  expect(describeFiles({ files: files(2) })).toBe(
    'purser-2031-05-10000.jsonl.gz (account 0), purser-2031-05-10001.jsonl.gz (account 1)',
  )
})

test('the error about archived ranges names the last of many files, and the number of others', () => {
  const said = describeFiles({ files: files(3_000) })
  expect(said.length).toBeLessThan(MAX_CELL - 500)
  expect(said.length).toBeGreaterThan(MAX_CELL - 1_000)
  const named = said.split(', ').slice(1)
  expect(said.startsWith(`${3_000 - named.length} older files`)).toBe(true)
  expect(named.at(-1)).toBe('purser-2031-05-12999.jsonl.gz (account 2999)')
})
