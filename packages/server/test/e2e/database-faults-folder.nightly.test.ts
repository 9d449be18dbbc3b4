/**
 * A wallet refuses the data folder of another wallet, for any spelling of its path. Two wallets on
 * one folder would destroy the embedded database.
 */
import { symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { newFolder, run } from '../cli/command.ts'
import { playerWithMoney } from '../support/operator.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'

const KEYS = { PARTNER_SECRET: 'secret', OPERATOR_API_KEY: 'key', PORT: '0' }

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const { path, remove } = newFolder()
  cleanups.push(remove)
  return path
}

function killedAfterwards(wallet: WalletProcess): WalletProcess {
  cleanups.push(() => wallet.kill('SIGKILL'))
  return wallet
}

describe('a data folder that a wallet uses', () => {
  test('is refused to a second wallet by every path, and the first continues', async () => {
    const dataDir = folder()
    const link = join(folder(), 'link')
    symlinkSync(dataDir, link)
    const wallet = killedAfterwards(await spawnWallet({ dataDir }))
    const player = await playerWithMoney(wallet.operator)
    // The commands of the tests run in a sibling of this folder.
    const spellings = [dataDir, `${dataDir}/`, link, join(link, '.'), `../${basename(dataDir)}`]
    const second = (spelling: string) => run(['wallet'], { ...KEYS, PURSER_DATA_DIR: spelling })
    const ends = await Promise.all(spellings.map(second))
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(spellings.map(() => [3, '']))
    expect(ends.filter(({ stderr }) => !stderr.includes('in use by another process'))).toEqual([])
    expect((await wallet.wire.place({ ...player, amount: 1 })).status).toBe(200)
    expect(await wallet.operator.balance(player.userId)).toBe('999.00')
    await wallet.auditIsClean()
  })

  test('is opened by exactly one of several wallets that start together', async () => {
    const dataDir = folder()
    const starts = await Promise.allSettled([1, 2, 3].map(() => spawnWallet({ dataDir })))
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [killedAfterwards(start.value)] : []))
    const refused = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
    expect(started).toHaveLength(1)
    for (const reason of refused) expect(reason).toMatch(/exit code 3:\n.*in use by another process/)
    await started[0]?.auditIsClean()
  })
})
