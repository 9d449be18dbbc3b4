/** The workers of a load, each a thread with its share of the calls: all begin at once, and end by themselves or when told to. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Driven, Task, Tick } from './drive.ts'
import { addTally } from './tally.ts'
import type { FromWorker, ToWorker } from './worker.ts'

/** Beside this file as it is built. */
const WORKER = new URL('worker.js', import.meta.url)

/** Resolves to what came of all of them together. */
export async function work(tasks: readonly Task[], onTick: (tick: Tick) => void, stop: AbortSignal): Promise<Driven[]> {
  const workers = tasks.map((workerData) => new Worker(WORKER, { workerData }))
  const tellAll = (word: ToWorker) => {
    for (const worker of workers) worker.postMessage(word)
  }
  const onStop = () => tellAll('stop')
  stop.addEventListener('abort', onStop)
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message'))) // ready; an error of the thread rejects
    const ends = workers.map((worker) => endOf(worker, onTick))
    if (stop.aborted) onStop()
    tellAll('go')
    return await Promise.all(ends)
  } finally {
    stop.removeEventListener('abort', onStop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function endOf(worker: Worker, onTick: (tick: Tick) => void): Promise<Driven> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'tick') onTick(message.tick)
      if (message.kind === 'done') resolve(message.driven)
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`a worker ended too early, with ${code}`)))
  })
}

/** One report of several: the first takes up the others. */
export function together([first, ...others]: readonly Driven[]): Driven | undefined {
  return first && others.reduce(plus, first)
}

function plus(sum: Driven, one: Driven): Driven {
  addTally(sum.tally, one.tally)
  const moved = new Map(sum.moved)
  for (const [player, delta] of one.moved) moved.set(player, (moved.get(player) ?? 0n) + delta)
  return {
    ...{ tally: sum.tally, moved, open: [...sum.open, ...one.open], doubts: sum.doubts + one.doubts },
    ...{ unsent: sum.unsent + one.unsent, busy: Math.max(sum.busy, one.busy), gaveUp: sum.gaveUp || one.gaveUp },
    loadMs: Math.max(sum.loadMs, one.loadMs),
  }
}
