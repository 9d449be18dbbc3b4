// Starts the generator over IPC and reads the database counters right before and after the measured
// window.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { GeneratorLoad, GeneratorMessage, Window } from './generator.ts'

const GENERATOR = fileURLToPath(new URL('generator.js', import.meta.url))
/**
 * Lets the generator collect garbage before the measured window, because a pause counts as the
 * server's.
 */
const NODE_ARGUMENTS = ['--expose-gc', '--max-semi-space-size=64']

export interface LoadRun<Counters> {
  window: Window
  /** With the bets of the warm-up; the database must contain this number. */
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
