/**
 * Only one process opens the folder of an embedded database, even when many start in the same
 * millisecond. The lock uses files only, because containers that share a volume have separate
 * networks.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

const MODULE = new URL('../../dist/core/database/pglite/folder-lock.js', import.meta.url).href
const CONTAINERS = 6
const ROUNDS = 8
/** Milliseconds; enough for all contenders to read the command before they start together. */
const LEAD_MS = 60

/** Answers each line (`lock FOLDER AT`, `release`) with a line. It busy-waits to start on time. */
const CONTENDER = `
import { createInterface } from 'node:readline'
const { lockFolder } = await import(${JSON.stringify(MODULE)})
let release = async () => {}
const acts = {
  async lock(folder, at) {
    while (Date.now() < Number(at));
    try { release = await lockFolder(folder); return 'got it' }
    catch (error) { return error.constructor.name }
  },
  async release() { await release(); release = async () => {}; return 'released' },
}
for await (const line of createInterface({ input: process.stdin })) {
  const [act, ...rest] = line.split(' ')
  console.log(await acts[act](...rest))
}
`

interface Contender {
  readonly child: ChildProcess
  ask(order: string): Promise<string>
}

/** Each contender has a network namespace, if the system permits it. */
const OWN_NETWORK = spawnSync('unshare', ['-rn', 'true']).status === 0 ? ['unshare', '-rn'] : []

function startContender(): Contender {
  const [command = '', ...args] = [...OWN_NETWORK, process.execPath, '--input-type=module', '-e', CONTENDER]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines: Interface = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const ask = async (order: string) => {
    child.stdin?.write(`${order}\n`)
    return String((await once(lines, 'line'))[0])
  }
  return { child, ask }
}

let contenders: Contender[]
let folder: string
let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'purser-lock-'))
  contenders = Array.from({ length: CONTAINERS }, startContender)
})
afterAll(() => {
  for (const { child } of contenders) child.kill('SIGKILL')
  rmSync(root, { recursive: true })
})
afterEach(() => Promise.all(contenders.map(({ ask }) => ask('release'))))

function newFolder(name: string): string {
  folder = join(root, name)
  mkdirSync(folder)
  return folder
}

function allAtOnce(): Promise<string[]> {
  const at = Date.now() + LEAD_MS
  return Promise.all(contenders.map(({ ask }) => ask(`lock ${folder} ${at}`)))
}

const ONE_WINNER = ['got it', ...Array(CONTAINERS - 1).fill('FolderInUseError')].sort()
const rounds = Array.from({ length: ROUNDS }, (_, i) => i)

/** Kills the lock holder as kill -9 or a power failure would; its lock file remains. */
async function leaveDeadHolder(): Promise<void> {
  const victim = startContender()
  expect(await victim.ask(`lock ${folder} 0`)).toBe('got it')
  victim.child.kill('SIGKILL')
  await once(victim.child, 'close')
}

describe(`one of ${CONTAINERS} processes that start in one millisecond gets the folder:`, () => {
  test.each(rounds)('a new folder, round %i', async (round) => {
    newFolder(`new-${round}`)
    expect((await allAtOnce()).sort()).toEqual(ONE_WINNER)
  })

  test.each(rounds)('a folder whose holder was killed, round %i', async (round) => {
    newFolder(`dead-${round}`)
    await leaveDeadHolder()
    expect((await allAtOnce()).sort()).toEqual(ONE_WINNER)
  })
})

test('the holder keeps the folder against later processes, and a release frees it', async () => {
  newFolder('kept')
  const [first, ...others] = contenders as [Contender, ...Contender[]]
  expect(await first.ask(`lock ${folder} 0`)).toBe('got it')
  for (const { ask } of others) expect(await ask(`lock ${folder} 0`)).toBe('FolderInUseError')
  await first.ask('release')
  expect(await others[0]?.ask(`lock ${folder} 0`)).toBe('got it')
})

/** Opens connections that no process accepts, until the backlog is full. */
async function fillBacklogOf(path: string): Promise<Socket[]> {
  const waiting: Socket[] = []
  for (;;) {
    const socket = connect(path)
    const code = await new Promise<string | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined))
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    })
    if (code === 'EAGAIN') return waiting
    expect(code).toBeUndefined()
    waiting.push(socket)
  }
}

test('a frozen holder whose queue is full keeps the folder', async () => {
  newFolder('frozen')
  const [holder, other] = contenders as [Contender, Contender]
  expect(await holder.ask(`lock ${folder} 0`)).toBe('got it')
  const names = readdirSync(folder)
  holder.child.kill('SIGSTOP')
  const waiting = await fillBacklogOf(join(folder, names[0] ?? ''))
  try {
    expect(await other.ask(`lock ${folder} 0`)).toBe('FolderInUseError')
    expect(readdirSync(folder), 'the names of the holder').toEqual(names)
  } finally {
    for (const socket of waiting) socket.destroy()
    holder.child.kill('SIGCONT')
  }
})

test('the folder contains no leftover files, also after kills', async () => {
  newFolder('left')
  for (let i = 0; i < 3; i++) await leaveDeadHolder()
  await contenders[0]?.ask(`lock ${folder} 0`)
  expect(readdirSync(folder), 'the names of the holder').toHaveLength(2)
  await contenders[0]?.ask('release')
  expect(readdirSync(folder)).toEqual([])
})

test('a folder with a long path is locked in the same way', async () => {
  newFolder('l'.repeat(150))
  await leaveDeadHolder()
  expect((await allAtOnce()).sort()).toEqual(ONE_WINNER)
})
