/** What the processes of one port say to each other (process/several.ts). A server that has its port alone asks nobody. */
import cluster from 'node:cluster'

/** From the process that holds the port. */
export type PrimaryMessage =
  /** `drains`: the whole port ends, so that each process is to serve on for a while, not ready. */
  | { readonly kind: 'stop'; readonly drains: boolean }
  /** What this process counts. */
  | { readonly kind: 'own_metrics'; readonly id: number }
  | { readonly kind: 'all_metrics'; readonly id: number; readonly text: string }

export type WorkerReport =
  | { readonly kind: 'own_metrics'; readonly id: number; readonly text: string }
  /** Asks for the metrics of all processes, since each scrape reaches only one of them. */
  | { readonly kind: 'all_metrics'; readonly id: number }

/** `collectOwn` tells what this process counts. */
export function createClusterMetrics(collectOwn: () => Promise<string>): () => Promise<string> {
  if (!cluster.isWorker) return collectOwn
  const waiting = new Map<number, (text: string) => void>()
  let lastRequestId = 0
  onPrimaryMessage((message) => {
    if (message.kind === 'own_metrics')
      void collectOwn().then((text) => sendToPrimary({ ...message, text }), ignoreFailure)
    if (message.kind !== 'all_metrics') return
    waiting.get(message.id)?.(message.text)
    waiting.delete(message.id)
  })
  return () =>
    new Promise((resolve) => {
      lastRequestId += 1
      waiting.set(lastRequestId, resolve)
      sendToPrimary({ kind: 'all_metrics', id: lastRequestId })
    })
}

/** What cannot be told is left out. */
const ignoreFailure = () => {}

export function onPrimaryMessage(listener: (message: PrimaryMessage) => void): void {
  process.on('message', (message) => listener(message as PrimaryMessage))
}

function sendToPrimary(message: WorkerReport): void {
  process.send?.(message, () => {}) // who holds the port may be gone; then this process goes too
}
