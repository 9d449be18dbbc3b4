/**
 * Starts the worker threads of a load together, and waits until each one ends or obeys the stop
 * signal.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { mergeTally } from '../report/call-tally.ts'
import type { LoadWorkerCommand, LoadWorkerMessage } from './worker.ts'
import type { LoadTick, WorkerResult, WorkerTask } from './worker-task.ts'

/** The built file is in the same folder. */
const WORKER = new URL('worker.js', import.meta.url)

export async function runWorkers(
  tasks: readonly WorkerTask[],
  onTick: (tick: LoadTick) => void,
  stop: AbortSignal,
): Promise<WorkerResult[]> {
  const workers = tasks.map((workerData) => new Worker(WORKER, { workerData }))
  const postToAll = (word: LoadWorkerCommand) => {
    for (const worker of workers) worker.postMessage(word)
  }
  const onStop = () => postToAll('stop')
  stop.addEventListener('abort', onStop)
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message'))) // each worker is ready; an error in the thread rejects
    const ends = workers.map((worker) => awaitWorker(worker, onTick))
    if (stop.aborted) onStop()
    postToAll('go')
    return await Promise.all(ends)
  } finally {
    stop.removeEventListener('abort', onStop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function awaitWorker(worker: Worker, onTick: (tick: LoadTick) => void): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: LoadWorkerMessage) => {
      if (message.kind === 'tick') onTick(message.tick)
      if (message.kind === 'done') resolve(message.driven)
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`a worker ended too early, with ${code}`)))
  })
}

/** Changes and returns the first result. */
export function mergeResults([first, ...others]: readonly WorkerResult[]): WorkerResult | undefined {
  return first && others.reduce(addResult, first)
}

function addResult(sum: WorkerResult, one: WorkerResult): WorkerResult {
  mergeTally(sum.tally, one.tally)
  const moved = new Map(sum.moved)
  for (const [player, delta] of one.moved) moved.set(player, (moved.get(player) ?? 0n) + delta)
  return {
    ...{ tally: sum.tally, moved, open: [...sum.open, ...one.open], doubts: sum.doubts + one.doubts },
    ...{ unsent: sum.unsent + one.unsent, busy: Math.max(sum.busy, one.busy), gaveUp: sum.gaveUp || one.gaveUp },
    loadMs: Math.max(sum.loadMs, one.loadMs),
  }
}
