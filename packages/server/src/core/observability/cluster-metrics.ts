/**
 * Metrics of the cluster. A scrape reaches only one process; therefore the primary process collects
 * the metrics of each process (servers/cluster.ts). A server with one process answers a scrape
 * alone.
 */
import cluster from 'node:cluster'

export type PrimaryMessage =
  /** `drains`: all processes end, and serve on for a while without being ready. */
  | { readonly kind: 'stop'; readonly drains: boolean }
  | { readonly kind: 'own_metrics'; readonly id: number }
  | { readonly kind: 'all_metrics'; readonly id: number; readonly text: string }

export type WorkerReport =
  | { readonly kind: 'own_metrics'; readonly id: number; readonly text: string }
  | { readonly kind: 'all_metrics'; readonly id: number }

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

/** A missing answer is omitted from the metrics. */
const ignoreFailure = () => {}

export function onPrimaryMessage(listener: (message: PrimaryMessage) => void): void {
  process.on('message', (message) => listener(message as PrimaryMessage))
}

function sendToPrimary(message: WorkerReport): void {
  process.send?.(message, () => {}) // the primary may have ended, and this process then ends too
}
