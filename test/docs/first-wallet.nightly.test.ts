/**
 * Follows the guide of the first wallet. Its handler has ten faults. Before each diff of the page,
 * the command of the page prints the verdict that the page shows. After the last diff the command
 * finds nothing wrong, and the kit certifies the wallet.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../packages/conformance/test/run-command.ts'
import { type Block, blocksOf } from './markdown.ts'
import { ROOT } from './session.ts'

const PAGE = readFileSync(join(ROOT, 'docs/guides/first-wallet.md'), 'utf8')
const HANDLER = join(ROOT, 'docs/guides/first-wallet')
const MOST_WORDS = 2_000
/** The address in the page; the tests use free ports instead. */
const PAGE_URL = 'http://127.0.0.1:3000'
/** A verdict that the page shows appears within this time. */
const VERDICT_MS = 180_000

/** A section of the page that mends a fault. */
interface Step {
  readonly title: string
  /** The verdict as the page shows it. */
  readonly shown: string
  readonly before: string
  readonly after: string
}

const [PLAY = [], PLAY_AGAIN = []] = blocksOf(PAGE)
  .filter(({ info, text }) => info === 'console' && text.includes('npx purser dev '))
  .map(({ text }) => text.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(3))
const STEPS = readSteps(PAGE)
const MENDED = STEPS.at(-1)?.after ?? ''
const ADVISED = mend(MENDED, blocksOf(PAGE.split('## Play again')[1] ?? ''))

const folders: string[] = []
const running: ChildProcess[] = []
afterEach(async () => {
  for (const child of running.splice(0)) if (child.kill('SIGKILL')) await once(child, 'close')
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function readSteps(page: string): Step[] {
  let handler = readFileSync(join(HANDLER, 'wallet.py'), 'utf8')
  const [faults = ''] = page.split('## Play again')
  return faults
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n', 1)
      const blocks = blocksOf(section)
      const before = handler
      handler = mend(handler, blocks)
      return { title, shown: blocks.find(({ info }) => info === 'text')?.text ?? '', before, after: handler }
    })
}

function mend(handler: string, blocks: readonly Block[]): string {
  return blocks.filter(({ info }) => info === 'diff').reduce((text, block) => applyDiff(text, block.text), handler)
}

/** Each part between `@@` lines replaces its old lines, which the handler has once. */
function applyDiff(handler: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((text, part) => {
    const lines = part.split('\n').slice(0, -1)
    const without = (mark: string) =>
      lines
        .filter((line) => !line.startsWith(mark))
        .map((line) => `${line.slice(1)}\n`)
        .join('')
    const found = text.split(without('+'))
    if (found.length !== 2) throw new Error(`the handler has these lines ${found.length - 1} times:\n${without('+')}`)
    return found.join(without('-'))
  }, handler)
}

/**
 * The lines of a verdict, with any amounts, results and losers. The page wraps long lines.
 */
function patternsOf(shown: string): RegExp[] {
  const lines = shown
    .trimEnd()
    .replaceAll(/\n {7}(?=\S)/g, ' ')
    .split('\n')
  return lines.map((line) => {
    const escaped = line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    const open = escaped
      .replaceAll(/\b(won|lost|refund|cashout)(?= [\d])/g, '\\w+')
      .replaceAll(/\b(EUR|KWD)\b/g, '\\w+')
      .replace(/(?<=\\\(the )(player|operator)/, '\\w+')
    return new RegExp(open.replaceAll(/(?<=[ ])\d[\d\\.]*(?=[ ,])/g, '[\\d.]+'))
  })
}

/** Returns the address of a new wallet, whose players have not bet. */
async function startHandler(handler: string): Promise<{ url: string; fixtures: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-first-wallet-'))
  folders.push(folder)
  cpSync(HANDLER, folder, { recursive: true })
  writeFileSync(join(folder, 'wallet.py'), handler)
  const child = spawn('python3', ['-B', 'server.py'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  running.push(child)
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { url: /http:\S+/.exec(line)?.[0] ?? '', fixtures: join(folder, 'players.json') }
}

/** Runs the page's command until its output has all patterns, or until its end. */
async function play(words: readonly string[], handler: string, patterns: readonly RegExp[] = []) {
  const { url } = await startHandler(handler)
  const args = words.map((word) => word.replace(PAGE_URL, url))
  const child = spawn(process.execPath, ['packages/server/dist/main.js', ...args], { cwd: ROOT })
  running.push(child)
  let output = ''
  let isFound = false // a second signal would end the command without its sum
  const timer = setTimeout(() => child.kill('SIGINT'), VERDICT_MS)
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (isFound || patterns.length === 0 || !patterns.every((one) => one.test(output))) return
      isFound = true
      child.kill('SIGINT')
    })
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code, output }
}

describe('the guide of the first wallet', () => {
  it(`has ten faults and at most ${MOST_WORDS} words`, () => {
    expect(STEPS).toHaveLength(10)
    expect(PAGE.split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS)
  })

  it.each(STEPS)('shows the verdict on the fault "$title"', async ({ shown, before, after }) => {
    expect(after).not.toBe(before)
    const patterns = patternsOf(shown)
    const { code, output } = await play(PLAY, before, patterns)
    for (const pattern of patterns) expect(output).toMatch(pattern)
    expect(code).toBe(1)
  })

  it('mends all faults, so that only the advice of the page remains', async () => {
    const { code, output } = await play(PLAY_AGAIN, MENDED)
    expect(code, output).toBe(0)
    expect(output).toMatch(/, 0 wrong/)
    expect(output.match(/^ +\d+ × .*$/gm)?.map((line) => line.replace(/^ +\d+ × (.*) \(.*$/, '$1'))).toEqual([
      'late copy of an old result applied',
    ])
  })

  it('ends with a wallet that gets no advice, and that the kit certifies over the wire', async () => {
    const { output } = await play(PLAY_AGAIN, ADVISED)
    expect(output).not.toMatch(/^ +\d+ × /m)
    const { url, fixtures } = await startHandler(ADVISED)
    const { out } = await runCommand({ baseUrl: url, secret: 's3cret', fixtures })
    expect(out).toMatch(/ 0 MUST failed/)
    expect(out).toMatch(/^Certified over the wire/m)
  })
})
