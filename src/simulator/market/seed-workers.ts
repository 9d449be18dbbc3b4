/** Plays many seeds, each in one of several threads: a run takes the whole of one, its globals too. */
import { once } from 'node:events'
import { availableParallelism, totalmem } from 'node:os'
import { Worker } from 'node:worker_threads'
import { createImages } from './databases/market-store.ts'
import type { PlayedRun } from './played-run.ts'
import type { SeedTask } from './worker.ts'

/** Beside this file as it is built. */
const WORKER = new URL('worker.js', import.meta.url)

/** Memory of a thread with its databases, and as much again. */
const BYTES_PER_WORKER = 2 ** 31

/** `isOver`: asked after each run; then no other one begins. Runs end in any order. */
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
    await once(worker, 'message') // it is ready; an error of the thread rejects
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
