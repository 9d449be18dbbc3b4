/**
 * Entry of a worker thread. The thread starts on the message `go`, ends on `stop`, and posts a tick
 * each second and the result at the end.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type LoadTick, runWorkerTask, type WorkerResult, type WorkerTask } from './worker-task.ts'

export type LoadWorkerCommand = 'go' | 'stop'
export type LoadWorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'tick'; readonly tick: LoadTick }
  | { readonly kind: 'done'; readonly driven: WorkerResult }

const stop = new AbortController()
const postToParent = (message: LoadWorkerMessage) => parentPort?.postMessage(message)

parentPort?.on('message', async (word: LoadWorkerCommand) => {
  if (word === 'stop') return stop.abort()
  const driven = await runWorkerTask(
    workerData as WorkerTask,
    (tick) => postToParent({ kind: 'tick', tick }),
    stop.signal,
  )
  postToParent({ kind: 'done', driven })
  parentPort?.close()
})
postToParent({ kind: 'ready' })
