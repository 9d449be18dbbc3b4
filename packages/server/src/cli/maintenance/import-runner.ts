/** Imports a file in chunks of one transaction each, so the import can stop anywhere (O-8). */

import { systemClock } from '@purser/runtime/clock'
import { printableLine } from '@purser/runtime/text/printable-text'
import { createCommandActor } from '../../core/auth/audit-log/audit-log.ts'
import type { Config } from '../../core/config/config.ts'
import type { Db } from '../../core/database/db.ts'
import { recordBucketCount } from '../../core/database/schema/buckets.ts'
import { readImportFile } from '../../wallet/operator-api/players/player-import-file.ts'
import { type ImportRow, importRows } from '../../wallet/operator-api/players/player-importer.ts'

/** Players per transaction. */
const CHUNK_PLAYERS = 500

export interface ImportFlags {
  readonly check?: true
  readonly person?: string
  readonly reason?: string
  readonly json?: true
}

interface ImportResult {
  imported: number
  known: number
  refused: number
}

export async function importFile(
  db: Db,
  { scales, buckets: requestedBuckets }: Config,
  file: string,
  flags: ImportFlags,
): Promise<ImportResult> {
  const buckets = await recordBucketCount(db, requestedBuckets)
  const result: ImportResult = { imported: 0, known: 0, refused: 0 }
  const reject = (line: number, reason: string) => {
    result.refused++
    process.stderr.write(`${printableLine(`${file}:${line}: ${reason}`)}\n`)
  }
  const createActor = (operation: string) => createCommandActor('purser', 'purser import', operation, flags)
  const importChunk = async (rows: readonly ImportRow[]) => {
    if (flags.check) {
      result.imported += rows.length
      return
    }
    const { imported, known, refused } = await importRows(
      { db, buckets, scales, now: systemClock.now() },
      createActor,
      rows,
    )
    result.imported += imported
    result.known += known
    for (const { line, reason } of refused) reject(line, reason)
    if (process.stderr.isTTY) process.stderr.write(`\r${result.imported + result.known} `)
  }
  let chunk: ImportRow[] = []
  for await (const line of readImportFile({ clock: systemClock, buckets, scales }, file)) {
    if (line.kind === 'fault') reject(line.line, line.reason)
    else chunk.push(line.row)
    if (chunk.length < CHUNK_PLAYERS) continue
    await importChunk(chunk)
    chunk = []
  }
  if (chunk.length > 0) await importChunk(chunk)
  if (process.stderr.isTTY) process.stderr.write('\r')
  return result
}
