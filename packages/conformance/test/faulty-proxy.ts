/** A proxy in front of a wallet. The proxy hides a path, fails some calls, or changes answers. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'

export interface Front {
  readonly url: string
  close(): Promise<void>
}

export interface ProxiedCall {
  readonly method: string
  readonly type: unknown
  /** Number of earlier calls with its requestId. */
  readonly before: number
}

export interface ProxyFaults {
  /** A path that is answered 404. */
  readonly hides?: string
  /** Calls that are answered 503 and not forwarded. */
  readonly fails?: (asked: ProxiedCall) => boolean
  readonly rewrite?: (answer: string) => string
  /** An unrequested `100 Continue` precedes each answer. */
  readonly continues?: true
  /** The status for an answer with this code. An answer of 500 or above has no body. */
  readonly statusOf?: (code: number) => number
}

export async function frontOf(url: string, faults: ProxyFaults): Promise<Front> {
  const { hides, fails, rewrite = (text) => text, continues, statusOf } = faults
  const seen = new Map<unknown, number>()
  const note = (method = '', { type, requestId }: Body): ProxiedCall => {
    const before = seen.get(requestId) ?? 0
    seen.set(requestId, before + 1)
    return { method, type, before }
  }
  const server = createServer(async (asked, answer) => {
    if (asked.url === hides) return void answer.writeHead(404).end()
    const { 'content-type': type = '', 'x-sign-jws': signature, authorization } = asked.headers
    const body = await buffer(asked)
    if (continues) answer.writeContinue()
    if (fails?.(note(asked.method, readObject(body.toString())))) return void answer.writeHead(503).end()
    const reply = await request(url + asked.url, {
      method: asked.method as 'POST',
      headers: {
        'content-type': type,
        ...(signature && { 'x-sign-jws': signature }),
        ...(authorization && { authorization }),
      },
      body: asked.method === 'GET' ? null : body,
    })
    const text = rewrite(await reply.body.text())
    const { code } = readObject(text)
    const status = (typeof code === 'number' && statusOf?.(code)) || reply.statusCode
    answer.writeHead(status, { 'content-type': 'application/json' }).end(status < 500 ? text : '')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Body = Readonly<Record<string, unknown>>

function readObject(text: string): Body {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
