/**
 * The tarball of each published package installs and runs in an empty folder. It contains neither
 * tests nor sources.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWallet } from '../packages/server/test/support/wallet.ts'
import { relativeLinksOf } from './docs/markdown.ts'
import { ROOT, read } from './tidy/source.ts'

const INSTALL_MS = 180_000
const MAX_FILES = 1_000
const MAX_KIT_MIB = 15
const { version }: { version: string } = JSON.parse(read('package.json'))
let packed: string

beforeAll(() => {
  packed = mkdtempSync(join(tmpdir(), 'purser-packages-'))
  execFileSync(process.execPath, ['scripts/pack.mjs', packed], { cwd: ROOT, stdio: 'pipe' })
}, INSTALL_MS)
afterAll(() => rmSync(packed, { recursive: true, force: true }))

const tarballOf = (name: string) => join(packed, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)

interface Installation {
  readonly folder: string
  readonly output: string
  /** The package in `node_modules`. */
  readonly path: string
}

function installIn(name: string): Installation {
  const folder = join(packed, name.replace('/', '-'))
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true}')
  const command = ['install', '--no-audit', '--no-fund', tarballOf(name)]
  const { status, stdout, stderr } = spawnSync('npm', command, { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return { folder, output: stdout + stderr, path: join(folder, 'node_modules', name) }
}

function run(folder: string, command: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  return { status, stdout, stderr }
}

function bytesBelow(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.map((name) => statSync(join(folder, name)).size).reduce((sum, size) => sum + size, 0)
}

describe.each(['purser', '@purser/conformance', '@purser/protocol'])('the package %s', (name) => {
  let installed: Installation
  const filesOf = () => readdirSync(installed.path, { recursive: true, encoding: 'utf8' })
  beforeAll(() => {
    installed = installIn(name)
  }, INSTALL_MS)

  test('installs without a warning about the Node version', () => {
    expect(installed.output).not.toMatch(/EBADENGINE|Unsupported engine|deprecated/)
  })

  test('contains neither tests nor sources nor source maps', () => {
    expect(filesOf().length).toBeLessThanOrEqual(MAX_FILES)
    expect(filesOf().filter((file) => /\.test\.|(?<!\.d)\.ts$|\.map$|tsbuildinfo/.test(file))).toEqual([])
  })

  test('has a README whose links lead to the repository', () => {
    expect(relativeLinksOf(readFileSync(join(installed.path, 'README.md'), 'utf8'))).toEqual([])
  })

  test('names its licence, repository, bugs, homepage and keywords', () => {
    const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(installed.path, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ license: 'MIT', version, exports: expect.anything() })
    for (const member of ['repository', 'bugs', 'homepage', 'keywords']) expect(manifest[member], member).toBeTruthy()
  })

  test('is clean by publint', () => {
    const { status, stdout } = run(ROOT, 'npx', ['--no-install', 'publint', 'run', '--strict', tarballOf(name)])
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('All good') })
  })
})

test('npx purser runs the program of the package', () => {
  const { stdout, stderr, status } = run(join(packed, 'purser'), 'npx', ['--no-install', 'purser', '--version'])
  expect({ stdout, status }, stderr).toEqual({ stdout: `${version}\n`, status: 0 })
})

describe('@purser/conformance', () => {
  const folder = () => join(packed, '@purser-conformance')

  test('needs at most 15 MiB, without Postgres, PGlite and Fastify', () => {
    const modules = join(folder(), 'node_modules')
    expect(bytesBelow(modules) / 1024 ** 2).toBeLessThanOrEqual(MAX_KIT_MIB)
    const names = readdirSync(modules)
    for (const absent of ['pg', '@electric-sql', 'fastify']) expect(names).not.toContain(absent)
  })

  test('judges a wallet with one npx command', async () => {
    const wallet = await startWallet()
    try {
      const target = ['--base-url', wallet.url, '--secret', wallet.secret, '--operator-api', wallet.url]
      const args = ['--no-install', 'purser-conformance', 'wallet', ...target, '--operator-key', wallet.operatorKey]
      const { code, output } = await finished('npx', [...args, '--only', 'place'], folder())
      expect(output).toMatch(/\d+ passed/)
      expect(code, output).toBe(0)
    } finally {
      await wallet.stop()
    }
  })
})

describe('@purser/protocol', () => {
  test('exports signature, decoding, codes, money and a signed client', () => {
    const script = `
      import { MalformedCall, parseCallBody, parseJson, parseWireAmount, REPLY_CODES, signBody, verifySignature } from '@purser/protocol'
      import { createWalletClient } from '@purser/protocol/client'
      const body = Buffer.from('{"amount":1.5}')
      console.log(verifySignature(signBody(body, 's'), body, ['s']), parseCallBody(body, parseJson).members.amount,
        parseWireAmount(1.5, 2), typeof REPLY_CODES, typeof MalformedCall, typeof createWalletClient)`
    const { stdout, stderr } = run(join(packed, '@purser-protocol'), process.execPath, [
      '--input-type=module',
      '-e',
      script,
    ])
    expect(stdout, stderr).toBe('true 1.5 150n object function function\n')
  })

  test('has types that every resolution of an ESM package finds', () => {
    const tarball = tarballOf('@purser/protocol')
    const { status, stdout } = run(ROOT, 'npx', ['--no-install', 'attw', '--profile', 'esm-only', tarball])
    expect(status, stdout).toBe(0)
  })
})

/** Runs beside the wallet of this process, so it must not block it. */
async function finished(command: string, args: readonly string[], cwd: string) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}
