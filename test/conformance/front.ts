/** A wallet behind a door that hides a path, or changes what is said. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'

export interface Front {
  readonly url: string
  close(): Promise<void>
}

export interface Door {
  /** Answered 404. */
  readonly hides?: string
  readonly rewrite?: (answer: string) => string
}

export async function frontOf(url: string, { hides, rewrite = (text) => text }: Door): Promise<Front> {
  const server = createServer(async (asked, answer) => {
    if (asked.url === hides) return void answer.writeHead(404).end()
    const { 'content-type': type = '', 'x-sign-jws': signature } = asked.headers
    const reply = await request(url + asked.url, {
      method: asked.method as 'POST',
      headers: { 'content-type': type, ...(signature && { 'x-sign-jws': signature }) },
      body: await buffer(asked),
    })
    answer.writeHead(reply.statusCode, { 'content-type': 'application/json' })
    answer.end(rewrite(await reply.body.text()))
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
