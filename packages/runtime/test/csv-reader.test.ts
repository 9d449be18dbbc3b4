/** The reader accepts CSV files as spreadsheets save them, and rejects files that are no text. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type CsvTable, readCsv } from '../src/text/csv-reader.ts'

function file(bytes: Buffer | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'purser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'players.csv')
  writeFileSync(path, bytes)
  return path
}

const TABLE: CsvTable = { columnsOf: (some) => [...some], ids: ['id'], maxRow: 100, acceptsUnevenLines: true }

/** Each row as its cells, or as its line number and fault. */
async function read(bytes: Buffer | string, table: Partial<CsvTable> = {}): Promise<unknown[]> {
  const rows: unknown[] = []
  for await (const { record, line, fault } of readCsv(file(bytes), { ...TABLE, ...table }))
    rows.push(fault === undefined ? Object.values(record) : `${line}: ${fault}`)
  return rows
}

const TEXT = 'id,name\n1,Anna\n2,Jörg\n'
const PEOPLE = [
  ['1', 'Anna'],
  ['2', 'Jörg'],
]
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16()

describe('a CSV file', () => {
  test.for([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16 with its mark, the larger byte first', bigEndian(`\ufeff${TEXT}`)],
  ] as const)('in %s is read correctly', async ([, bytes]) => {
    expect(await read(bytes)).toEqual(PEOPLE)
  })

  test.for([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, the larger byte first', (text: string) => bigEndian(`\ufeff${text}`)],
  ] as const)('in many pieces in %s is read with each character once', async ([, encoded]) => {
    const names = Array.from({ length: 8_000 }, (_, i) => `é漢😀${i}`)
    const text = ['name', ...names].join('\n')
    expect((await read(encoded(text))).flat()).toEqual(names)
  })

  test.for([
    ['in another encoding', Buffer.from(TEXT, 'latin1'), 'line 3'],
    ['with half a letter of UTF-16', Buffer.from('\ufeffid,name\n1,a\ud800', 'utf16le'), 'line 2'],
    [
      'with half a unit of UTF-16',
      Buffer.concat([Buffer.from('\ufeffid,name\n1,a', 'utf16le'), Buffer.of(1)]),
      'line 2',
    ],
  ] as const)('is rejected %s, so that no name loses a character', async ([, bytes, line]) => {
    await expect(read(bytes)).rejects.toThrow(`players.csv is not UTF-8 in or before ${line}`)
  })

  test.for([
    ['id;name\n1;Anna', 'commas separate the cells, not semicolons or tabs'],
    ['id\tname\n1\tAnna', 'commas separate the cells, not semicolons or tabs'],
    ['sep=;\nid;name\n1;Anna', 'commas separate the cells, and "sep=" is no column'],
    ['sep=,\nid,name\n1,Anna', 'commas separate the cells, and "sep=" is no column'],
  ] as const)('is rejected with the remedy: %j', async ([text, why]) => {
    await expect(read(text)).rejects.toThrow(why)
  })
})

describe('a CSV row', () => {
  test('without any cell is skipped, and the next one has its own line number', async () => {
    expect(await read('id,name\r\n,\r\n,,,\r\n  ,\r\n1,Anna,x\r\n')).toEqual([
      '5: has not as many cells as the first line',
    ])
  })

  test('has no cell for a column without a name, and a cell there is an error', async () => {
    expect(await read('id,,name,\n1,,Anna,\n2,x,Jörg,\n')).toEqual([
      ['1', 'Anna'],
      '3: column 2: has no name in the first line',
    ])
    expect(await read(',id,name\n0,1,Anna\n', { ignoresUnnamedCells: true })).toEqual([['1', 'Anna']])
  })

  test('keeps each cell as it was written', async () => {
    expect(await read('id,name\n1, Anna \u00a0\n2,\ufeffJo\u0308rg\n')).toEqual([
      ['1', ' Anna \u00a0'],
      ['2', '\ufeffJo\u0308rg'],
    ])
  })

  test.for(['1 ', ' 1', '1\u00a0', '\t1', '1\ufeff'])(
    'is rejected for the id %j, unless quotation marks enclose it',
    async (id) => {
      const why = '2: id: has white space at an end: take it away, or put the id in quotation marks'
      expect(await read(`id,name\n${id},Anna\n"${id}",Anna\n`)).toEqual([why, [id, 'Anna']])
    },
  )

  test('is rejected for an id of white space', async () => {
    expect(await read('id,name\n ,Anna\n')).toEqual(['2: id: is nothing but white space'])
  })

  test('with an id that a spreadsheet has shortened causes a warning, at most ten in a file', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => said.mockRestore())
    const ids = Array.from({ length: 12 }, (_, i) => `${i}.02771E+11`)
    expect(await read(`id,name\n${ids.map((id) => `${id},4.02771E+11`).join('\n')}`)).toHaveLength(12)
    expect(said.mock.calls).toHaveLength(10)
    expect(said.mock.calls[0]?.[0]).toContain('players.csv:2: warning: id: a spreadsheet has shortened 0.02771E+11')
    expect(said.mock.calls[9]?.[0]).toContain('more such ids are not named')
  })
})
