/**
 * Servers and commands protect and lock the data folder of an embedded database. The test is long,
 * because each process needs seconds to start.
 */
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { spawnWallet } from '../support/wallet.ts'
import { newFolder, run } from './command.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const { path, remove } = newFolder()
  cleanups.push(remove)
  return path
}

async function started(options: Parameters<typeof spawnWallet>[0]) {
  const wallet = await spawnWallet(options)
  cleanups.push(() => wallet.kill('SIGKILL'))
  return wallet
}

const KEYS = { PARTNER_SECRET: 'secret', OPERATOR_API_KEY: 'key', PORT: '0' }

describe('a data folder', () => {
  const rightsOf = (path: string) => statSync(path).mode & 0o777

  test('gets permissions for its user only, when it is created and when other users could read it', async () => {
    const [made, open] = [join(folder(), 'made'), folder()]
    chmodSync(open, 0o755)
    writeFileSync(join(open, 'operator-api-key'), `${'k'.repeat(32)}\n`, { mode: 0o644 })
    for (const dataDir of [made, open]) {
      const wallet = await started({ dataDir, env: { OPERATOR_API_KEY: '', PARTNER_SECRET: '' } })
      expect(rightsOf(dataDir), dataDir).toBe(0o700)
      for (const name of ['operator-api-key', 'partner-secret'])
        expect(rightsOf(join(dataDir, name)), `${dataDir} ${name}`).toBe(0o600)
      await wallet.kill('SIGKILL')
    }
  })

  test('is refused with its permissions unchanged when other users can read it and it holds other files', async () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'holiday.jpg'), '')
    chmodSync(dataDir, 0o755)
    for (const env of [
      { ...KEYS, PURSER_DATA_DIR: dataDir },
      { PURSER_DATA_DIR: dataDir, PORT: '0' },
    ]) {
      const { code, stderr } = await run(['wallet'], env)
      expect(code).toBe(2)
      expect(stderr).toContain(`others can enter the data folder ${dataDir}, which also holds "holiday.jpg"`)
      expect(stderr).toContain('chmod 700')
    }
    expect(rightsOf(dataDir)).toBe(0o755)
  })

  test('serves one wallet: a second wallet and every other command end with 3', async () => {
    const dataDir = folder()
    const first = await started({ dataDir })
    for (const command of ['wallet', 'audit', 'migrate']) {
      const { code, stdout, stderr } = await run([command], { ...KEYS, PURSER_DATA_DIR: dataDir })
      expect({ code, stdout }, command).toEqual({ code: 3, stdout: '' })
      expect(stderr).toBe(
        `purser: the embedded database in ${dataDir} is in use by another process: stop that process, or set PURSER_DATA_DIR to another folder\n`,
      )
    }
    await first.auditIsClean()
  })

  test('can be opened again after a kill -9, with every answered call', async () => {
    const dataDir = folder()
    const first = await started({ dataDir })
    const { userId } = await first.operator.createPlayer()
    await first.operator.deposit(userId, '12.34')
    await first.kill('SIGKILL')
    const second = await started({ dataDir })
    expect(await second.operator.balance(userId)).toBe('12.34')
  })

  test('is migrated by one command and audited by another', async () => {
    const env = { PURSER_DATA_DIR: folder() }
    expect(await run(['migrate'], env)).toMatchObject({ code: 0 })
    expect(await run(['audit'], env)).toEqual({ code: 0, stdout: 'audit: no findings\n', stderr: '' })
  })
})
