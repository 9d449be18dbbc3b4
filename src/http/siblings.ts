/** What the processes of one port say to each other (process/several.ts). A server that has its port alone asks nobody. */
import cluster from 'node:cluster'

/** From the process that holds the port. */
export type ToServer =
  /** `drains`: the whole port ends, so that each process is to serve on for a while, not ready. */
  | { readonly kind: 'stop'; readonly drains: boolean }
  /** What this process counts. */
  | { readonly kind: 'own_metrics'; readonly id: number }
  | { readonly kind: 'all_metrics'; readonly id: number; readonly text: string }

export type FromServer =
  | { readonly kind: 'own_metrics'; readonly id: number; readonly text: string }
  /** Asks for the metrics of all processes, since each scrape reaches only one of them. */
  | { readonly kind: 'all_metrics'; readonly id: number }

/** `own` tells what this process counts. */
export function metricsOfAll(own: () => Promise<string>): () => Promise<string> {
  if (!cluster.isWorker) return own
  const waiting = new Map<number, (text: string) => void>()
  let asked = 0
  onMessage((message) => {
    if (message.kind === 'own_metrics') void own().then((text) => say({ ...message, text }), left)
    if (message.kind !== 'all_metrics') return
    waiting.get(message.id)?.(message.text)
    waiting.delete(message.id)
  })
  return () =>
    new Promise((resolve) => {
      asked += 1
      waiting.set(asked, resolve)
      say({ kind: 'all_metrics', id: asked })
    })
}

/** What cannot be told is left out. */
const left = () => {}

export function onMessage(hear: (message: ToServer) => void): void {
  process.on('message', (message) => hear(message as ToServer))
}

function say(message: FromServer): void {
  process.send?.(message, () => {}) // who holds the port may be gone; then this process goes too
}
