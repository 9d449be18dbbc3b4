// The generator's other end of the IPC channel: starts it, reads the database's counters right before and right after
// the measured window, returns what it saw.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { GeneratorLoad, GeneratorMessage, Window } from './generator.ts'

const GENERATOR = fileURLToPath(new URL('generator.js', import.meta.url))
/** It collects its garbage before the measured window; a pause of its own would count as the server's. */
const NODE_ARGUMENTS = ['--expose-gc', '--max-semi-space-size=64']

export interface LoadRun<Counters> {
  window: Window
  /** With those of the warm-up: what the database must hold. */
  betsInAll: number
  before: Counters
  after: Counters
}

export async function runLoad<Counters>(
  load: GeneratorLoad,
  counters: () => Promise<Counters>,
): Promise<LoadRun<Counters>> {
  const generator = fork(GENERATOR, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: NODE_ARGUMENTS })
  try {
    generator.send(load)
    await message(generator, 'ready')
    const before = await counters()
    generator.send('go')
    const { window, betsInAll } = await message(generator, 'measured')
    return { window, betsInAll, before, after: await counters() }
  } finally {
    generator.kill()
  }
}

async function message<Kind extends GeneratorMessage['kind']>(
  generator: ChildProcess,
  kind: Kind,
): Promise<Extract<GeneratorMessage, { kind: Kind }>> {
  const exited = once(generator, 'exit').then(() => {
    throw new Error('the generator ended too early')
  })
  const [said] = (await Promise.race([once(generator, 'message'), exited])) as [GeneratorMessage]
  if (said.kind !== kind) throw new Error(`the generator said ${said.kind} instead of ${kind}`)
  return said as Extract<GeneratorMessage, { kind: Kind }>
}
