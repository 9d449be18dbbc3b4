/** The thread of one worker: it plays the run of each seed that it is given, in stores of its own, and says what came of it. */
import { parentPort, workerData } from 'node:worker_threads'
import { playSeed } from './played.ts'
import { readyStores } from './ready.ts'
import type { Images } from './store.ts'

export interface ToWorker {
  readonly seed: number
  readonly isTwice: boolean
}

const stores = await readyStores(workerData as Images)

parentPort?.on('message', async ({ seed, isTwice }: ToWorker) => {
  parentPort?.postMessage(await playSeed(seed, stores, isTwice))
})
parentPort?.postMessage('ready')
