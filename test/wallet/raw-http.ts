// Requests no well-behaved client sends: bodies of arbitrary bytes, in chunks, with odd or repeated headers.
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { jws } from './jws.ts'

export interface RawCall {
  method?: string
  path?: string
  body: string | Buffer
  headers?: OutgoingHttpHeaders
  /** Sent with transfer-encoding: chunked, these many bytes at a time; else with a content-length. */
  chunk?: number
}

export interface RawAnswer {
  status: number
  body: unknown
  text: string
}

/** Signs the bytes and sends them; no content type unless given, because the wallet does not look at it. */
export function sendSigned(url: string, secret: string, call: RawCall): Promise<RawAnswer> {
  return sendRaw(url, { ...call, headers: { 'x-sign-jws': jws(call.body, secret), ...call.headers } })
}

export function sendRaw(url: string, call: RawCall): Promise<RawAnswer> {
  const body = Buffer.from(call.body)
  const length = call.chunk === undefined ? { 'content-length': body.length } : {}
  return new Promise((resolve, reject) => {
    const headers = { ...length, ...call.headers }
    const sent = request(new URL(call.path ?? '/payment/bet', url), { method: call.method ?? 'POST', headers })
    sent.on('response', (response) => resolve(readAnswer(response)))
    // After the answer an error is the wallet hanging up on the rest of a body it need not read: no concern of ours.
    sent.on('error', reject)
    const step = call.chunk ?? Math.max(body.length, 1)
    for (let start = 0; start < body.length; start += step) sent.write(body.subarray(start, start + step))
    sent.end()
  })
}

async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: response.statusCode ?? 0, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
