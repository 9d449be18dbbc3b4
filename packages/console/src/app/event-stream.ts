/**
 * Server-sent events over fetch. An EventSource can neither send headers nor read the reason of a
 * rejection.
 */
import { ApiProblem } from './console-api.ts'
import { requestHeaders } from './request-headers.ts'

/** The changed ids. With `all` anything may have changed. */
export interface ChangeNotice {
  readonly all?: boolean
  readonly topics?: readonly string[]
  readonly bets?: readonly string[]
  readonly players?: readonly string[]
}

export interface StreamHandlers {
  begin(): void
  changed(notice: ChangeNotice): void
}

/**
 * A connection without a byte for this time counts as dead. The server sends a heartbeat every 5 s.
 */
const DEAD_MS = 16_000

/** The average delay before a reconnection. */
const RECONNECT_MS = 1_500

/**
 * 50 to 150 % of the average, so that pages which lost their streams together do not reconnect
 * together.
 */
export function reconnectBackoffMs(): number {
  return RECONNECT_MS * (0.5 + Math.random())
}

/** The last received event id, from which the next stream continues. */
export interface StreamPosition {
  id?: string
}

/** Reads until the stream ends or `signal` aborts; rejects if no stream opens. */
export async function readEventStream(
  url: string,
  position: StreamPosition,
  handlers: StreamHandlers,
  signal: AbortSignal,
): Promise<void> {
  const dead = new AbortController()
  let timer = setTimeout(() => dead.abort(), DEAD_MS)
  try {
    const headers = { ...requestHeaders(), ...(position.id !== undefined && { 'last-event-id': position.id }) }
    const answer = await fetch(url, { headers, signal: AbortSignal.any([signal, dead.signal]) })
    if (!answer.ok || answer.body === null) throw new ApiProblem(answer.status, `answered ${answer.status}`)
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(() => dead.abort(), DEAD_MS)
      const blocks = (text + value).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) dispatchBlock(block, position, handlers)
    }
  } finally {
    clearTimeout(timer)
  }
}

function dispatchBlock(block: string, position: StreamPosition, handlers: StreamHandlers): void {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const [id, event] = [fields.get('id'), fields.get('event')]
  if (id !== undefined) position.id = id
  if (event === 'begin') handlers.begin()
  if (event === 'changed') handlers.changed(JSON.parse(fields.get('data') ?? '{}') as ChangeNotice)
}
