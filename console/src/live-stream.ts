/** Server-sent events by fetch: it can say where it comes from, as an EventSource cannot, and is told why it was refused. */
import { ApiProblem } from './api.ts'
import { ours } from './ours.ts'

/** Ids of what has changed; `all`: anything may have. */
export interface Changed {
  readonly all?: boolean
  readonly topics?: readonly string[]
  readonly bets?: readonly string[]
  readonly players?: readonly string[]
}

export interface Heard {
  begin(): void
  changed(what: Changed): void
}

/** Milliseconds without a byte after which a connection is dead; a sign of life comes each 5 s. */
const DEAD_MS = 16_000

/** Milliseconds until the next try, on average. */
const AGAIN_MS = 1_500

/** Half of that to one and a half: the pages that lost their streams at one moment do not all come back at one moment. */
export function againMs(): number {
  return AGAIN_MS * (0.5 + Math.random())
}

/** The place that a stream came to, for the next one. */
export interface Place {
  id?: string
}

/** Reads until the stream ends or `signal`; rejects when there is none. */
export async function listen(url: string, place: Place, heard: Heard, signal: AbortSignal): Promise<void> {
  const dead = new AbortController()
  let timer = setTimeout(() => dead.abort(), DEAD_MS)
  try {
    const headers = { ...ours(), ...(place.id !== undefined && { 'last-event-id': place.id }) }
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
      for (const block of blocks) hear(block, place, heard)
    }
  } finally {
    clearTimeout(timer)
  }
}

function hear(block: string, place: Place, heard: Heard): void {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const [id, event] = [fields.get('id'), fields.get('event')]
  if (id !== undefined) place.id = id
  if (event === 'begin') heard.begin()
  if (event === 'changed') heard.changed(JSON.parse(fields.get('data') ?? '{}') as Changed)
}
