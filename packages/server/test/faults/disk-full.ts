/**
 * Scenario of `npm run faults`: the disk of Postgres is filled completely and emptied, repeatedly.
 * The disk is a mounted memory file system, so the user needs the right to mount.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { again, databaseIn, newPostgres, newWallet, play, type Stage, type Tally } from './stage.ts'

const SIZE = '768m'
const CHUNK = Buffer.alloc(1024 * 1024, 'x')

export class NotHere extends Error {}

export async function diskFull(stage: Stage): Promise<Tally> {
  const disk = mountDisk(stage)
  const before = process.env.TMPDIR
  process.env.TMPDIR = disk
  const postgres = await newPostgres(stage).finally(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const wallet = await newWallet(stage, { DATABASE_URL: databaseIn(postgres.url) })
  const filler = join(disk, 'filler')
  const fault = async () => {
    fill(disk, filler)
    // A server without room for its log ends, and its supervisor restarts it.
    await postgres
      .execute('select pg_switch_wal(), pg_logical_emit_message(false, $$fill$$, repeat($$x$$, 100000))')
      .catch(() => {})
    await sleep(500 + stage.random.below(2_000))
    rmSync(filler)
    const isThere = await postgres.execute('select').then(
      () => true,
      () => false,
    )
    if (!isThere) await postgres.start()
  }
  return play(stage, { wallets: [wallet], attack: (betting) => again(stage, betting, fault) })
}

function mountDisk(stage: Stage): string {
  const disk = mkdtempSync(join(tmpdir(), 'purser-faults-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=1777`, 'tmpfs', disk])
  stage.onEnd(() => {
    if (mounted.status === 0) spawnSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  })
  if (mounted.status !== 0) throw new NotHere('a disk of its own needs the right to mount')
  return disk
}

function fill(disk: string, filler: string): void {
  const { bavail, bsize } = statfsSync(disk)
  try {
    for (let left = bavail * bsize; left >= 0; left -= CHUNK.length) writeFileSync(filler, CHUNK, { flag: 'a' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
