/** Processes for wallets. One more than are in use is kept ready: to begin one takes longer than a run. */
import { type ChildProcess, fork } from 'node:child_process'

export interface Crew {
  /** One that has nothing to do. */
  take(): ChildProcess
  /** It has nothing to do any more. */
  giveBack(one: ChildProcess): void
  end(): void
}

/** As it is built: a process does not read TypeScript. */
const PROGRAM = import.meta.url.endsWith('.ts')
  ? new URL('../../../dist/simulate/locks/wallet-process.js', import.meta.url)
  : new URL('wallet-process.js', import.meta.url)

/** That a run takes, and one for when one of them is killed. */
const READY = 3

export function gatherCrew(): Crew {
  const all = new Set<ChildProcess>()
  const idle: ChildProcess[] = []
  const begin = () => {
    const one = fork(PROGRAM, { serialization: 'advanced', execArgv: [], stdio: 'inherit' })
    one.setMaxListeners(0)
    all.add(one.once('exit', () => all.delete(one)))
    return one
  }
  const fill = () => {
    while (idle.length < READY) idle.push(begin())
  }
  fill()
  return {
    take() {
      const one = idle.shift() ?? begin()
      if (idle.length === 0) idle.push(begin())
      return one
    },
    giveBack(one) {
      if (one.exitCode === null && one.signalCode === null) idle.push(one)
    },
    end() {
      for (const one of all) one.kill('SIGKILL')
    },
  }
}
