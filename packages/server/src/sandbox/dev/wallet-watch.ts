/**
 * Watches whether a wallet accepts connections. A wallet that restarts after each change of its
 * code is no error: callers wait here, and continue.
 *
 *   up ──a connection is refused──► down ──a probe connects──► up
 */
import { connect } from 'node:net'
import { UnavailableError } from '@purser/runtime/errors/cli-errors'
import { describeNetworkError } from '../wire/wallet-forwarding.ts'

export interface WalletWatch {
  readonly url: string
  isUp(): boolean
  /** Describes a wallet that is down. */
  sentence(): string | undefined
  /** A call found no connection. */
  reportUnreachable(why: string): void
  /** Resolves while the wallet accepts connections, or at the signal. */
  whenUp(signal?: AbortSignal): Promise<void>
  /** Connects once. Throws UnavailableError if the wallet stays away longer than `waitMs`. */
  requireUp(waitMs: number, signal: AbortSignal): Promise<void>
  stop(): void
}

export interface WalletWatchOptions {
  readonly url: string
  note(sentence: string): void
}

/** Milliseconds between two probes: the first, and the longest. */
const PROBE_GAP_MS = { first: 100, most: 2_000 }
const PROBE_TIMEOUT_MS = 2_000
const MS_PER_SECOND = 1_000

export function createWalletWatch({ url, note }: WalletWatchOptions): WalletWatch {
  let downSince: number | undefined
  let sentence: string | undefined
  let isStopped = false
  let waiters: (() => void)[] = []
  const goUp = () => {
    const seconds = Math.ceil((performance.now() - (downSince ?? performance.now())) / MS_PER_SECOND)
    downSince = undefined
    sentence = undefined
    note(`The wallet is back after ${seconds} s.`)
    for (const resolve of waiters.splice(0)) resolve()
  }
  const probeUntilUp = async () => {
    for (let gap = PROBE_GAP_MS.first; !isStopped; gap = Math.min(2 * gap, PROBE_GAP_MS.most)) {
      await new Promise((resolve) => setTimeout(resolve, gap))
      if ((await probeWallet(url)) === undefined) return isStopped ? undefined : goUp()
    }
  }
  const goDown = (why: string) => {
    if (downSince !== undefined || isStopped) return
    downSince = performance.now()
    sentence = `The wallet at ${url} accepts no connections (${why}). Waiting for it …`
    note(sentence)
    void probeUntilUp()
  }
  const whenUp = async (signal?: AbortSignal) => {
    if (downSince === undefined || signal?.aborted) return
    await new Promise<void>((resolve) => {
      waiters.push(resolve)
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  return {
    ...{ url, whenUp, reportUnreachable: goDown },
    isUp: () => downSince === undefined,
    sentence: () => sentence,
    async requireUp(waitMs, signal) {
      const why = await probeWallet(url)
      if (why !== undefined) goDown(why)
      const timer = new AbortController()
      const timeout = setTimeout(() => timer.abort(), Math.min(waitMs, MAX_TIMER_MS))
      await whenUp(AbortSignal.any([signal, timer.signal])).finally(() => clearTimeout(timeout))
      if (timer.signal.aborted && downSince !== undefined)
        throw new UnavailableError(`the wallet at ${url} accepted no connection for ${waitMs / MS_PER_SECOND} s`)
    },
    stop() {
      isStopped = true
      for (const resolve of waiters.splice(0)) resolve()
      waiters = []
    },
  }
}

/** The longest time of one timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The reason why no connection can be opened, or undefined. */
function probeWallet(url: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url)
  const defaultPort = protocol === 'https:' ? '443' : '80'
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number.parseInt(port || defaultPort, 10) })
    const end = (why: string | undefined) => {
      socket.destroy()
      resolve(why)
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () => end('no connection in time'))
    socket.once('connect', () => end(undefined)).once('error', (error) => end(describeNetworkError(error)))
  })
}
