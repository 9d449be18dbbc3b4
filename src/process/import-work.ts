/** What `purser import` does with a file: in slices, each of them one transaction, so that it can break off anywhere (O-8). */

import type { Config } from '../config/config.ts'
import { fixBuckets } from '../db/buckets.ts'
import type { Db } from '../db/db.ts'
import { type ImportRow, importRows } from '../operator/import.ts'
import { readPlayers } from '../operator/import-file.ts'
import { authorOfCommand } from '../people/actions.ts'
import { systemClock } from '../runtime/clock.ts'
import { printableLine } from '../runtime/printable.ts'

/** Players of one transaction. */
const SLICE = 500

export interface Flags {
  readonly check?: true
  readonly person?: string
  readonly reason?: string
  readonly json?: true
}

interface Result {
  imported: number
  known: number
  refused: number
}

export async function importFile(
  db: Db,
  { scales, buckets: wanted }: Config,
  file: string,
  flags: Flags,
): Promise<Result> {
  const buckets = await fixBuckets(db, wanted)
  const result: Result = { imported: 0, known: 0, refused: 0 }
  const refuse = (line: number, reason: string) => {
    result.refused++
    process.stderr.write(`${printableLine(`${file}:${line}: ${reason}`)}\n`)
  }
  const authorOf = (operation: string) => authorOfCommand('purser', 'purser import', operation, flags)
  const take = async (rows: readonly ImportRow[]) => {
    if (flags.check) {
      result.imported += rows.length
      return
    }
    const { imported, known, refused } = await importRows(
      { db, buckets, scales, now: systemClock.now() },
      authorOf,
      rows,
    )
    result.imported += imported
    result.known += known
    for (const { line, reason } of refused) refuse(line, reason)
    if (process.stderr.isTTY) process.stderr.write(`\r${result.imported + result.known} `)
  }
  let slice: ImportRow[] = []
  for await (const line of readPlayers({ clock: systemClock, buckets, scales }, file)) {
    if (line.kind === 'fault') refuse(line.line, line.reason)
    else slice.push(line.row)
    if (slice.length < SLICE) continue
    await take(slice)
    slice = []
  }
  if (slice.length > 0) await take(slice)
  if (process.stderr.isTTY) process.stderr.write('\r')
  return result
}
