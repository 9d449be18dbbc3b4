/**
 * Plays the runs of many seeds in several threads. Each run needs its own thread, because a run
 * replaces globals of JavaScript.
 */
import { once } from 'node:events'
import { availableParallelism, totalmem } from 'node:os'
import { Worker } from 'node:worker_threads'
import { createImages } from './databases/market-store.ts'
import type { PlayedRun } from './played-run.ts'
import type { SeedTask } from './worker.ts'

/** Next to this file in the build. */
const WORKER = new URL('worker.js', import.meta.url)

/** Twice the memory of a thread. */
const BYTES_PER_WORKER = 2 ** 31

/** `isOver`: no further run starts. Runs end in any order. */
export async function playSeeds(
  seeds: readonly SeedTask[],
  ended: (played: PlayedRun) => void,
  isOver: () => boolean,
): Promise<void> {
  const left = [...seeds]
  const workerData = await createImages()
  const count = Math.min(availableParallelism(), Math.ceil(totalmem() / BYTES_PER_WORKER), seeds.length)
  const workers = Array.from({ length: count }, () => new Worker(WORKER, { workerData }))
  const playAll = async (worker: Worker) => {
    await once(worker, 'message') // the worker is ready; an error of the thread rejects
    for (let next = left.shift(); next !== undefined && !isOver(); next = left.shift()) {
      worker.postMessage(next)
      const [played] = (await once(worker, 'message')) as [PlayedRun]
      ended(played)
    }
  }
  try {
    await Promise.all(workers.map(playAll))
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}
