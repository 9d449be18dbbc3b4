/**
 * Starts processes in which wallets run. A spare process is always ready, because the start of a
 * process takes longer than a run.
 */
import { type ChildProcess, fork } from 'node:child_process'

export interface WorkerPool {
  acquire(): ChildProcess
  release(worker: ChildProcess): void
  end(): void
}

/** A process does not read TypeScript. */
const PROGRAM = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/postgres/wallet-process.js', import.meta.url)
  : new URL('wallet-process.js', import.meta.url)

/** Two for a run, and one for a killed process. */
const READY = 3

export function createWorkerPool(): WorkerPool {
  const all = new Set<ChildProcess>()
  const idle: ChildProcess[] = []
  const begin = () => {
    const worker = fork(PROGRAM, { serialization: 'advanced', execArgv: [], stdio: 'inherit' })
    worker.setMaxListeners(0)
    all.add(worker.once('exit', () => all.delete(worker)))
    return worker
  }
  const fill = () => {
    while (idle.length < READY) idle.push(begin())
  }
  fill()
  return {
    acquire() {
      const worker = idle.shift() ?? begin()
      if (idle.length === 0) idle.push(begin())
      return worker
    },
    release(worker) {
      if (worker.exitCode === null && worker.signalCode === null) idle.push(worker)
    },
    end() {
      for (const worker of all) worker.kill('SIGKILL')
    },
  }
}
