/** Every server whose user lacks a file permission prints the remedy and ends with exit code 2. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../../test/tidy/source.ts'
import type { ServerUser } from '../support/postgres-binaries.ts'
import { newFolder } from './command.ts'

const MAIN = join(ROOT, 'packages/server/dist/main.js')
const SERVERS = ['wallet', 'platform', 'gateway', 'sandbox']
const KEYS = { PARTNER_SECRET: 's', OPERATOR_API_KEY: 'o', PLATFORM_API_KEY: 'p', GATEWAY_API_KEY: 'g', PORT: '0' }
/** Root has every permission, so a run as root starts the servers as this user. */
const UNPRIVILEGED_USER = 65_534
const USER: ServerUser = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_USER, gid: UNPRIVILEGED_USER } : {}

const folder = newFolder()
chmodSync(folder.path, 0o755)
afterAll(folder.remove)

/** Gives the path to that user, with this mode. */
function own(path: string, mode: number): string {
  if ('uid' in USER) chownSync(path, USER.uid, USER.gid)
  chmodSync(path, mode)
  return path
}

function newOwn(name: string, mode: number): string {
  const path = join(folder.path, name)
  mkdirSync(path)
  return own(path, mode)
}

async function saidBy(server: string, env: Record<string, string>): Promise<string> {
  const options = { ...USER, cwd: '/', env: { PATH: process.env.PATH, ...env }, timeout: 120_000 }
  const child = spawn(process.execPath, [MAIN, server], options)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect({ code, stdout }, `${server}: ${stderr}`).toEqual({ code: 2, stdout: '' })
  return stderr.trimEnd()
}

const REMEDY = 'give this user the right to it, or choose another place'
const canRead = spawnSync(process.execPath, [MAIN, '--version'], { ...USER, cwd: '/' }).status === 0

describe.runIf(canRead).each(SERVERS)('a %s names the missing permission', (server) => {
  const closed = newOwn(`closed-${server}`, 0o500)

  test('to create its data folder', async () => {
    const dataDir = join(closed, 'data')
    expect(await saidBy(server, { ...KEYS, PURSER_DATA_DIR: dataDir })).toBe(
      `purser: ${closed} cannot be used: EACCES: permission denied, access '${closed}'; ${REMEDY}`,
    )
  })

  test('to write to its data folder when it creates the database', async () => {
    expect(await saidBy(server, { ...KEYS, PURSER_DATA_DIR: closed })).toBe(
      `purser: ${closed} cannot be used: EACCES: permission denied, access '${closed}'; ${REMEDY}`,
    )
  })

  test('to store its keys in the data folder', async () => {
    const said = await saidBy(server, { PORT: '0', PURSER_DATA_DIR: closed })
    expect(said.match(/generated keys cannot be saved in PURSER_DATA_DIR: EACCES: .*/g)?.join()).toContain(REMEDY)
  })

  test('to read the files of its database, and does not call them damaged', async () => {
    const dataDir = newOwn(`files-${server}`, 0o700)
    const files = newOwn(`files-${server}/pglite`, 0o700)
    writeFileSync(join(files, 'PG_VERSION'), '18\n')
    own(join(files, 'PG_VERSION'), 0o400)
    own(files, 0o500)
    const said = await saidBy(server, { ...KEYS, PURSER_DATA_DIR: dataDir })
    expect(said).toBe(`purser: ${files} cannot be used: EACCES: permission denied, access '${files}'; ${REMEDY}`)
  })

  test('to read the file of a secret', async () => {
    const file = join(folder.path, `secret-${server}`)
    writeFileSync(file, 'secret')
    own(file, 0o000)
    const { PARTNER_SECRET: _, ...others } = KEYS
    const env = { ...others, PARTNER_SECRET_FILE: file, PURSER_DATA_DIR: 'memory://' }
    const said = await saidBy(server, server === 'platform' ? { ...env, PURSER_ENCRYPTION_KEY_FILE: file } : env)
    expect(said).toContain(`_FILE cannot be read: EACCES: permission denied, open '${file}'; ${REMEDY}`)
  })

  test.runIf(lowestPort() > 80)('to open a port below 1024', async () => {
    expect(await saidBy(server, { ...KEYS, PORT: '80', PURSER_DATA_DIR: 'memory://' })).toContain(
      'purser: this user may not open port 80: choose one above 1023 (PORT=…)',
    )
  })
})

/** Systems other than Linux reserve the ports below 1024 for root. */
function lowestPort(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'), 10)
  } catch {
    return 1024
  }
}
