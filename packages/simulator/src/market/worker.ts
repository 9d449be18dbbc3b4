/** The code of a worker thread. It plays the runs of the received seeds in its own databases. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Images } from './databases/market-store.ts'
import { openWarmStores } from './market-run.ts'
import { playSeed } from './played-run.ts'

export interface SeedTask {
  readonly seed: number
  readonly isTwice: boolean
}

const stores = await openWarmStores(workerData as Images)

parentPort?.on('message', async ({ seed, isTwice }: SeedTask) => {
  parentPort?.postMessage(await playSeed(seed, stores, isTwice))
})
parentPort?.postMessage('ready')
