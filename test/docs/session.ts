/**
 * Runs the commands of a documentation page: its `sh server` block in one terminal and its `sh`
 * blocks in another. They run in a folder where `npx purser` is this build.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Block } from './markdown.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const START_TIMEOUT_MS = 120_000
/** The addresses in the pages; the tests use free ports instead. */
const PAGE_URLS = { wallet: 'http://127.0.0.1:8080', platform: 'http://127.0.0.1:8081' }
/** Folder with replacements for missing programs, last on the PATH. */
const STAND_INS = 'stand-ins'
/** Printed before each block, to separate the outputs. */
const MARK = '\u001e'

export interface Folder {
  readonly path: string
  remove(): void
}

export function makeFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'purser-docs-'))
  for (const name of ['packages', 'node_modules']) symlinkSync(join(ROOT, name), join(path, name))
  mkdirSync(join(path, STAND_INS))
  symlinkSync(join(ROOT, 'test/docs/curl.mjs'), join(path, STAND_INS, 'curl'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export type Urls = Readonly<Record<keyof typeof PAGE_URLS, string>>

export interface PageServer {
  readonly urls: Urls
  stop(): Promise<void>
}

type Says = Partial<Record<keyof Urls, RegExp>>

const SANDBOX_SAYS: Says = { wallet: /Purser wallet\s+(http:\S+)/, platform: /Platform\s+(http:\S+)/ }
export const WALLET_SAYS: Says = { wallet: /"url":"(http:[^"]+)"/ }

/**
 * Runs `npm start` or an `npx purser` command on a free port. `says` finds its addresses in the
 * output.
 */
export async function startServer(
  folder: Folder,
  commandLine: string,
  { env = {}, says = SANDBOX_SAYS }: { env?: Record<string, string>; says?: Says } = {},
): Promise<PageServer> {
  const command = commandLine.trim().replace(/npm start$/, startScript())
  const said = command.replace(/( sandbox\b.*)$/, '$1 --addresses') // the pages know the default addresses
  // Without exec, stop() ends only sh.
  const inPlaceOfSh = said.replace(/npx purser|node packages\S+/, 'exec node packages/server/dist/main.js')
  const child = spawn('sh', ['-c', inPlaceOfSh], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  }
  return { urls: await addressesOf(child, says), stop }
}

/** The part of `npm start` after the build, since `npm test` has already built. */
function startScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [build, start] = scripts.start.split(' && ')
  if (build !== 'npm run --silent build' || start === undefined) throw new Error(`npm start is now: ${scripts.start}`)
  return start
}

function addressesOf(child: ChildProcess, says: Says): Promise<Urls> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = () => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`the server did not start:\n${output}`))
    }
    const timer = setTimeout(fail, START_TIMEOUT_MS)
    child.once('close', fail)
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const found = Object.entries(says).map(([server, pattern]) => [server, pattern.exec(output)?.[1]])
      if (found.some(([, url]) => url === undefined)) return
      clearTimeout(timer)
      resolve({ ...PAGE_URLS, ...Object.fromEntries(found) })
    })
  })
}

/** Returns the output of each block. Throws with the whole output when a command fails. */
export async function runBlocks(
  folder: Folder,
  blocks: readonly Block[],
  { urls = PAGE_URLS, env = {} }: { urls?: Urls; env?: Record<string, string> },
): Promise<string[]> {
  const at = (text: string) =>
    text.replaceAll(PAGE_URLS.wallet, urls.wallet).replaceAll(PAGE_URLS.platform, urls.platform)
  const script = blocks.map(({ text }) => `printf '${MARK}'\n${at(text)}`).join('\n')
  const PATH = `${env.PATH ?? process.env.PATH}${delimiter}${join(folder.path, STAND_INS)}`
  const shell = spawn('sh', ['-eu', '-c', script], { cwd: folder.path, env: { ...env, PATH } })
  const output = collect(shell)
  const [code] = await once(shell, 'close')
  if (code !== 0) throw new Error(`a command ended with ${code}:\n${output()}`)
  return output().split(MARK).slice(1)
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return () => text
}

/** A pattern for the output that a page shows; `…` matches any text within a line. */
export function patternOf(shown: string): RegExp {
  const escaped = shown.trim().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('…', '[^\\n]+?')}$`)
}
