/**
 * Scenario of `npm run faults`: a rolling upgrade replaces two wallets of an earlier commit one by
 * one while bets are placed.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WalletProcess } from '../support/spawned-wallet.ts'
import { NotHere } from './disk-full.ts'
import { databaseIn, newPostgres, newWallet, play, type Stage, sameAs, type Tally } from './stage.ts'

export async function rollingUpgrade(stage: Stage): Promise<Tally> {
  const { from, why } = lastRelease()
  const { id, main } = builtAt(from)
  const postgres = await newPostgres(stage)
  const settings = { DATABASE_URL: databaseIn(postgres.url) }
  const first = await newWallet(stage, settings, main)
  const second = await newWallet(stage, { ...settings, ...sameAs(first), PORT: '0' }, main)
  let last = first
  const attack = async () => {
    for (const old of [first, second] satisfies WalletProcess[]) {
      await sleep(stage.forMs / 3)
      await old.kill('SIGTERM')
      const replaced = await newWallet(stage, { ...settings, ...sameAs(old) })
      if (old === first) last = replaced
    }
    await sleep(stage.forMs / 3)
    return 2
  }
  const tally = await play(stage, { wallets: [first, second], attack, asked: () => last })
  return { ...tally, note: `from ${id}, ${why}` }
}

function lastRelease(): { readonly from: string; readonly why: string } {
  const from = process.env.PURSER_FAULTS_FROM
  if (from !== undefined) return { from, why: 'as PURSER_FAULTS_FROM says' }
  try {
    const options = { encoding: 'utf8', stdio: 'pipe' } as const
    const tag = execFileSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD~1'], options).trim()
    return { from: tag, why: `the last release, ${tag}` }
  } catch {
    throw new NotHere('no release has a tag yet; PURSER_FAULTS_FROM can name a commit with the same migrations')
  }
}

/** The build of a commit, with the packages of this one. It stays for the next run. */
function builtAt(commit: string): { readonly id: string; readonly main: string } {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'buffer', maxBuffer: 512 * 1024 * 1024 })
  let id: string
  try {
    id = git('rev-parse', '--short=12', commit).toString().trim()
  } catch {
    throw new NotHere(`git knows no ${commit} here`)
  }
  const folder = join(tmpdir(), `purser-faults-build-${id}`)
  const main = join(folder, 'packages/server/dist/main.js')
  if (existsSync(main)) return { id, main }
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', id) })
  if (!existsSync(join(folder, 'node_modules'))) linkModules(join(folder, 'node_modules'))
  execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-b'], { cwd: folder })
  execFileSync(process.execPath, ['scripts/finish-build.mjs'], { cwd: folder })
  return { id, main }
}

/** The modules of this clone, and the packages of the other commit. */
function linkModules(modules: string): void {
  mkdirSync(join(modules, '@purser'), { recursive: true })
  for (const name of readdirSync('node_modules').filter((one) => one !== '@purser' && one !== 'purser'))
    symlinkSync(resolve('node_modules', name), join(modules, name))
  symlinkSync('../packages/server', join(modules, 'purser'))
  for (const name of readdirSync('node_modules/@purser'))
    symlinkSync(`../../packages/${name}`, join(modules, '@purser', name))
}
