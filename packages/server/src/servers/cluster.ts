/**
 * Cluster of several processes that share one port (`PURSER_PROCESSES`).
 *
 * The primary process serves no calls and opens no database. It owns the port, distributes
 * connections in turn, and keeps the configured number of workers. States of a worker:
 *
 * - Starting: when it listens, its state is Serving. If it ends before that, another worker starts
 *   after a backoff. If it was the first worker of all, the command ends with its exit code.
 * - Serving: if it dies, another worker starts after a backoff. A request to stop leads to
 *   Finishing.
 * - Finishing: it completes accepted calls and ends.
 *
 * SIGHUP replaces the workers one after another. An old worker stops when the new one listens, so
 * the port is always served.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { sleep as waitFor } from '@purser/runtime/async/sleep'
import { withTimeout } from '@purser/runtime/async/timeouts'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { onStopSignal } from '@purser/runtime/command/stop-signals'
import { environment } from '@purser/runtime/environment'
import { createLogger } from '@purser/runtime/logger'
import type { Config } from '../core/config/config.ts'
import { isOutage } from '../core/database/database-errors.ts'
import type { PrimaryMessage, WorkerReport } from '../core/observability/cluster-metrics.ts'
import { DATABASE_WAIT_MS, mergeMetrics } from '../core/observability/metrics-exposition.ts'
import { forwardLines } from './line-buffer.ts'

/** Milliseconds until another worker starts, doubled after each worker that did not listen. */
const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** Milliseconds for a worker to finish its calls. Service managers wait for 20 s. */
const STOP_TIMEOUT_MS = 15_000
/** Milliseconds for the slowest worker's metrics. The worker waits for its database. */
const METRICS_TIMEOUT_MS = 2 * DATABASE_WAIT_MS

/** Resolves when all workers have ended; sets the exit code. */
export async function serveCluster(config: Config): Promise<void> {
  const log = createLogger(config.logLevel, isOutage)
  const ending = new AbortController()
  onStopSignal(() => ending.abort())
  const workers = new Map<number, Worker>()
  cluster.setupPrimary({ silent: true })
  serveMetrics(workers)

  const startWorker = async (number: number): Promise<void> => {
    const worker = cluster.fork(toEnvironment(config))
    forwardLines(worker.process)
    await waitUntilListening(worker)
    workers.set(number, worker)
    worker.once('exit', (code, signal) => {
      if (workers.get(number) !== worker) return // another worker has replaced it
      workers.delete(number)
      if (ending.signal.aborted) return
      log.error({ process: number, code, signal }, 'a process ended unexpectedly; another one starts')
      void restartWithBackoff(number)
    })
  }
  const restartWithBackoff = async (number: number): Promise<void> => {
    for (let pause = INITIAL_BACKOFF_MS; ; pause = Math.min(2 * pause, MAX_BACKOFF_MS)) {
      await waitFor(pause, ending.signal)
      if (ending.signal.aborted || (await isFulfilled(startWorker(number)))) return
      log.error({ process: number }, 'a process did not start to listen; the next attempt is later')
    }
  }
  const restartAll = async (): Promise<void> => {
    for (const [number, old] of [...workers].sort(([a], [b]) => a - b)) {
      if (ending.signal.aborted || workers.get(number) !== old) continue
      if (!(await isFulfilled(startWorker(number))))
        return log.error('a new process does not listen; the earlier processes continue')
      await stopWorker(old, 0)
    }
    log.info({ processes: workers.size }, 'all processes have restarted')
  }

  const startAll = async (): Promise<void> => {
    await startWorker(1)
    const others = ending.signal.aborted ? [] : Array.from({ length: config.processes - 1 }, (_, i) => i + 2)
    await Promise.all(others.map((number) => startWorker(number).catch(() => restartWithBackoff(number))))
    log.info({ processes: workers.size }, 'several processes serve one port')
  }
  const begun = startAll()
  let restarting = begun.catch(() => {})
  process.on('SIGHUP', () => {
    restarting = restarting.then(restartAll)
  })
  try {
    await begun
  } catch (error) {
    if (!(error instanceof WorkerExitError)) throw error
    process.exitCode = error.code // the worker has reported the cause
    return
  }
  await waitUntilAborted(ending.signal)
  await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker, config.drainMs)))
}

/** Keys that this start generated are the same in all workers. */
function toEnvironment({ generated }: Config): Record<string, string> {
  return Object.fromEntries(generated.map(({ name, value }) => [name, value]))
}

class WorkerExitError extends Error {
  readonly code: number
  constructor(code: number | null) {
    super('the process ended before it was listening')
    this.code = code ?? EXIT_CODES.bug
  }
}

async function waitUntilListening(worker: Worker): Promise<void> {
  const over = new AbortController()
  const ended = once(worker, 'exit', over).then(([code]) => {
    throw new WorkerExitError(code as number | null)
  })
  ended.catch(() => {}) // not awaited if the worker listens first
  await Promise.race([once(worker, 'listening', over), ended]).finally(() => over.abort())
}

/** No drain when another worker replaces this one, because the port stays ready. */
async function stopWorker(worker: Worker, drainMs: number): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  const sendStop = () => sendToWorker(worker, { kind: 'stop', drains: drainMs > 0 })
  sendStop()
  worker.once('listening', sendStop) // a starting worker receives no message yet
  const forget = environment.setTimer(drainMs + STOP_TIMEOUT_MS, () => void worker.process.kill('SIGKILL'))
  const [code] = (await gone) as [number | null]
  forget()
  if (code !== 0) process.exitCode = code ?? EXIT_CODES.bug
}

/** Each worker's metrics have its number as a label. A busy or ending worker is left out. */
function serveMetrics(workers: ReadonlyMap<number, Worker>): void {
  let lastRequestId = 0
  const waiting = new Map<number, (text: string) => void>()
  const requestMetrics = async ([number, worker]: [number, Worker]): Promise<[string, string]> => {
    const id = ++lastRequestId
    const received = new Promise<string>((resolve) => waiting.set(id, resolve))
    sendToWorker(worker, { kind: 'own_metrics', id })
    return [String(number), await withTimeout(received, METRICS_TIMEOUT_MS, () => '').finally(() => waiting.delete(id))]
  }
  cluster.on('message', async (asker, message: WorkerReport) => {
    if (message.kind === 'own_metrics') return waiting.get(message.id)?.(message.text)
    const texts = await Promise.all([...workers].sort(([a], [b]) => a - b).map(requestMetrics))
    sendToWorker(asker, { kind: 'all_metrics', id: message.id, text: mergeMetrics('process', new Map(texts)) })
  })
}

function sendToWorker(worker: Worker, message: PrimaryMessage): void {
  worker.send(message, () => {}) // the worker may have ended meanwhile
}

function isFulfilled(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

function waitUntilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
