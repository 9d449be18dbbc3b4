/** What of a file that a person names is no text. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCsv } from '../../src/runtime/csv-file.ts'

function file(bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'purser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'players.csv')
  writeFileSync(path, bytes)
  return path
}

async function namesIn(path: string): Promise<string[]> {
  const names: string[] = []
  for await (const { record } of readCsv(path, { columnsOf: (some) => [...some], maxRow: 100 }))
    names.push(record.name ?? '')
  return names
}

const TEXT = 'id,name\n1,Anna\n2,Jörg\n'

test.for([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with its mark', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16 with its mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
] as const)('%s is read', async ([, bytes]) => {
  expect(await namesIn(file(bytes))).toEqual(['Anna', 'Jörg'])
})

test('a file in another encoding is refused where its first letter is no text, and nobody gets a name without it', async () => {
  await expect(namesIn(file(Buffer.from(TEXT, 'latin1')))).rejects.toThrow(
    /players\.csv is not UTF-8 in or before line 3/,
  )
})
