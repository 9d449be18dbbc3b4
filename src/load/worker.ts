/** The thread of one worker: it is ready, is told to go or to stop, says each second how it goes, and at the end what came of it. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Driven, drive, type Task, type Tick } from './drive.ts'

export type ToWorker = 'go' | 'stop'
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'tick'; readonly tick: Tick }
  | { readonly kind: 'done'; readonly driven: Driven }

const stop = new AbortController()
const tell = (message: FromWorker) => parentPort?.postMessage(message)

parentPort?.on('message', async (word: ToWorker) => {
  if (word === 'stop') return stop.abort()
  const driven = await drive(workerData as Task, (tick) => tell({ kind: 'tick', tick }), stop.signal)
  tell({ kind: 'done', driven })
  parentPort?.close()
})
tell({ kind: 'ready' })
