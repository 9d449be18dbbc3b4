/**
 * Several processes behind one port (`PURSER_PROCESSES`). This one serves nothing and opens no database: it holds the port, hands the
 * connections to the others in turn, and keeps as many of them as were asked for.
 *
 *   begins ──listens──► serves ──asked to end──► finishes what it has accepted ──► gone
 *     │                   └──dies──► another one begins
 *     └──ends──► another one begins, each time later; of the first of all the command ends with its exit code
 *
 * SIGHUP begins all anew, one after another: the old one is asked to end when the new one listens, so that the port is always served.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Config } from '../config/config.ts'
import { isOutage } from '../db/errors.ts'
import type { FromServer, ToServer } from '../http/siblings.ts'
import { inTime } from '../runtime/in-time.ts'
import { createLogger } from '../runtime/logger.ts'
import { joinMetrics, TOLD_WITHIN_MS } from '../runtime/metric-text.ts'
import { pause as waitFor } from '../runtime/pause.ts'
import { world } from '../runtime/world.ts'
import { EXIT } from './ending.ts'
import { onStop } from './stopping.ts'
import { forwardLines } from './whole-lines.ts'

/** Milliseconds before another one begins; twice as many after each that did not come to listen, up to the longest. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** For a process to finish what it has accepted, which takes some seconds; service managers give 20 s. */
const STOPPED_WITHIN_MS = 15_000
/** For the slowest to tell what it counts: it waits for its database that long itself. */
const METRICS_WITHIN_MS = 2 * TOLD_WITHIN_MS

/** Resolves when all have ended; sets the exit code. */
export async function serveSeveral(config: Config): Promise<void> {
  const log = createLogger(config.logLevel, isOutage)
  const ending = new AbortController()
  onStop(() => ending.abort())
  const serving = new Map<number, Worker>()
  cluster.setupPrimary({ silent: true })
  answerMetrics(serving)

  const begin = async (number: number): Promise<void> => {
    const worker = cluster.fork(environmentOf(config))
    forwardLines(worker.process)
    await untilItListens(worker)
    serving.set(number, worker)
    worker.once('exit', (code, signal) => {
      if (serving.get(number) !== worker) return // another one serves in its place
      serving.delete(number)
      if (ending.signal.aborted) return
      log.error({ process: number, code, signal }, 'a process has died; another one begins')
      void beginAgain(number)
    })
  }
  const beginAgain = async (number: number): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await waitFor(pause, ending.signal)
      if (ending.signal.aborted || (await isDone(begin(number)))) return
      log.error({ process: number }, 'a process has not come to listen; the next try is later')
    }
  }
  const beginAnew = async (): Promise<void> => {
    for (const [number, old] of [...serving].sort(([a], [b]) => a - b)) {
      if (ending.signal.aborted || serving.get(number) !== old) continue
      if (!(await isDone(begin(number)))) return log.error('a new process does not listen; those of before go on')
      await stop(old, 0)
    }
    log.info({ processes: serving.size }, 'all processes have begun anew')
  }

  const beginAll = async (): Promise<void> => {
    await begin(1)
    const others = ending.signal.aborted ? [] : Array.from({ length: config.processes - 1 }, (_, i) => i + 2)
    await Promise.all(others.map((number) => begin(number).catch(() => beginAgain(number))))
    log.info({ processes: serving.size }, 'several processes serve one port')
  }
  const begun = beginAll()
  let anew = begun.catch(() => {})
  process.on('SIGHUP', () => {
    anew = anew.then(beginAnew)
  })
  try {
    await begun
  } catch (error) {
    if (!(error instanceof Ended)) throw error
    process.exitCode = error.code // it has said why
    return
  }
  await untilAborted(ending.signal)
  await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stop(worker, config.drainMs)))
}

/** Keys that this start has made are the same for all. */
function environmentOf({ generated }: Config): Record<string, string> {
  return Object.fromEntries(generated.map(({ name, value }) => [name, value]))
}

class Ended extends Error {
  readonly code: number
  constructor(code: number | null) {
    super('the process has ended before it came to listen')
    this.code = code ?? EXIT.bug
  }
}

async function untilItListens(worker: Worker): Promise<void> {
  const over = new AbortController()
  const ended = once(worker, 'exit', over).then(([code]) => {
    throw new Ended(code as number | null)
  })
  ended.catch(() => {}) // given up below
  await Promise.race([once(worker, 'listening', over), ended]).finally(() => over.abort())
}

/** Without a drain where another one serves in its place: the port is always ready. */
async function stop(worker: Worker, drainMs: number): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  const sayStop = () => say(worker, { kind: 'stop', drains: drainMs > 0 })
  sayStop()
  worker.once('listening', sayStop) // who has only begun does not hear yet
  const forget = world.after(drainMs + STOPPED_WITHIN_MS, () => void worker.process.kill('SIGKILL'))
  const [code] = (await gone) as [number | null]
  forget()
  if (code !== 0) process.exitCode = code ?? EXIT.bug
}

/** What a process counts has its number as a label; one that is busy or ends is left out. */
function answerMetrics(serving: ReadonlyMap<number, Worker>): void {
  let asked = 0
  const waiting = new Map<number, (text: string) => void>()
  const ask = async ([number, worker]: [number, Worker]): Promise<[string, string]> => {
    const id = ++asked
    const told = new Promise<string>((resolve) => waiting.set(id, resolve))
    say(worker, { kind: 'own_metrics', id })
    return [String(number), await inTime(told, METRICS_WITHIN_MS, () => '').finally(() => waiting.delete(id))]
  }
  cluster.on('message', async (asker, message: FromServer) => {
    if (message.kind === 'own_metrics') return waiting.get(message.id)?.(message.text)
    const texts = await Promise.all([...serving].sort(([a], [b]) => a - b).map(ask))
    say(asker, { kind: 'all_metrics', id: message.id, text: joinMetrics('process', new Map(texts)) })
  })
}

function say(worker: Worker, message: ToServer): void {
  worker.send(message, () => {}) // it may have gone meanwhile
}

function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
