/**
 * Stream that merges the changes of wallet and platform. It ends when one of the two streams ends.
 */
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/http/api/problem-details.ts'
import type { BearerClient } from '../bearer-client.ts'

type Part = 'wallet' | 'platform'
type Headers = Readonly<Record<string, string>>

/** Positions in both feeds. */
const EVENT_POSITIONS = /^(\d{1,18})-(\d{1,18})$/

/** The wallet gets the credentials of the request, so its part ends with the session or key. */
export async function streamMergedEvents(
  { wallet, platform }: Readonly<Record<Part, BearerClient>>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  if (reply.raw.destroyed) gone.abort() // the client may have left during the authentication, without a later event
  const [, ofWallet, ofPlatform] = EVENT_POSITIONS.exec(String(request.headers['last-event-id'])) ?? []
  const open = async (url: string, proof: Headers, last: string | undefined) => {
    const headers = { ...proof, ...(last !== undefined && { 'last-event-id': last }) }
    const answer = await fetch(url, { headers, signal: gone.signal }).catch(() => undefined)
    if (answer?.body && answer.ok) return answer.body
    throw new Problem(503, 'unavailable', 'one of the two streams of changes has ended')
  }
  const sources = await Promise.all([
    open(`${wallet.url}/operator/live`, pickCredentials(request), ofWallet),
    open(`${platform.url}/live`, { authorization: `Bearer ${platform.key}` }, ofPlatform),
  ])
  return reply
    .header('content-type', 'text/event-stream')
    .header('x-accel-buffering', 'no')
    .send(mergeStreams(sources, () => gone.abort()))
}

function pickCredentials({ headers }: FastifyRequest): Headers {
  const names = ['authorization', 'cookie', 'x-purser-console'] as const
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}

/** Each event gets the positions in both feeds. No event is sent before both sources have begun. */
function mergeStreams(sources: readonly ReadableStream<Uint8Array>[], end: () => void): PassThrough {
  const out = new PassThrough()
  const places: (string | undefined)[] = sources.map(() => undefined)
  const buffered: string[] = []
  const follow = async (source: ReadableStream<Uint8Array>, i: number) => {
    for await (const block of readBlocks(source)) {
      const [, place] = /^id: (\d+)$/m.exec(block) ?? []
      if (place === undefined) {
        out.write(`${block}\n\n`)
        continue
      }
      const hadBegun = areAllKnown(places)
      places[i] = place
      buffered.push(block)
      if (!areAllKnown(places)) continue
      const events = hadBegun
        ? buffered
        : ['id:\nevent: begin\ndata: {}', ...buffered.filter((one) => !/^event: begin$/m.test(one))]
      for (const event of events) out.write(`${event.replace(/^id:.*$/m, `id: ${places.join('-')}`)}\n\n`)
      buffered.length = 0
    }
  }
  const followed = sources.map((source, i) => follow(source, i))
  void Promise.race(followed)
    .catch(() => {}) // after a broken source the client connects again
    .then(() => {
      out.end()
      end()
    })
  for (const one of followed) one.catch(() => {})
  return out
}

function areAllKnown(places: readonly (string | undefined)[]): boolean {
  return places.every((place) => place !== undefined)
}

async function* readBlocks(source: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of source) {
    const blocks = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks
  }
}
