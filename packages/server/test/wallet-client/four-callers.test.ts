/**
 * Platform, load generator, gateway and conformance kit read every reply of a wallet in the same
 * way.
 *
 * If the form of a reply breaks a MUST, the kit may accept the reply's effect on money but reports
 * the form. The test counts this as "unknown". The kit reports no reply that the platform accepts.
 */
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { CALLERS, type OddServer, type Reading, type RequestKind, startOddServer, type Writes } from './callers.ts'

const servers: OddServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

const BOM = '\ufeff'
const good = (betId: string) => `{"transactionId":"${betId}","transactionTime":"${new Date().toISOString()}"}`
const withMember = (more: string) => (betId: string) => good(betId).replace('}', `,${more}}`)
const text = (body: string) => () => body
const NO_MONEY = '{"code":7,"message":"Not enough money"}'

interface Head {
  readonly status?: string
  readonly headers?: string
  /** Content-Length; the length of the body when absent. */
  readonly length?: number
}

function whole(bodyOf: (betId: string) => string | Buffer, { status = '200 OK', headers = '', length }: Head = {}) {
  return (betId: string) => {
    const body = Buffer.from(bodyOf(betId))
    return Buffer.concat([
      Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${length ?? body.length}\r\n${headers}\r\n`),
      body,
    ])
  }
}

const sends =
  (bytes: (betId: string) => string | Buffer): Writes =>
  (socket, betId) =>
    void socket.write(bytes(betId))
const sendsAndEnds =
  (bytes: (betId: string) => string | Buffer): Writes =>
  (socket, betId) =>
    void socket.end(bytes(betId))
const answers = (bodyOf: (betId: string) => string | Buffer, head: Head = {}) => sends(whole(bodyOf, head))
const refuses = (body: string | Buffer, status = '400 Bad Request') => answers(() => body, { status })
/** Sends `first` and the reply in one write. */
const after = (first: string) => sends((betId) => Buffer.concat([Buffer.from(first), whole(good)(betId)]))

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const alone =
  (first: string): Writes =>
  (socket, betId) =>
    void socket.write(first, () => setImmediate(() => socket.write(whole(good)(betId))))

/** Each byte of the body is a chunk; trailers follow. */
function chunked(betId: string): string {
  const chunks = [...good(betId)].map((char) => `1;ext=1\r\n${char}\r\n`).join('')
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\nX-Trailer: 1\r\n\r\n`
}

const MAX_BYTES = 64 * 1024
const padded = (bytes: number) => (betId: string) => {
  const body = withMember('"pad":""')(betId)
  return body.replace('""', `"${'x'.repeat(bytes - body.length)}"`)
}
const latin1 = (body: (betId: string) => string) => (betId: string) => Buffer.from(body(betId), 'latin1')

const PLACE: [string, Reading, Writes][] = [
  ['a plain answer', 'accepted', answers(good)],
  ['a plain refusal', 'refused 7', refuses(NO_MONEY)],
  ['a byte order mark', 'accepted', answers((betId) => BOM + good(betId))],
  ['a byte order mark before a refusal', 'refused 7', refuses(BOM + NO_MONEY)],
  ['two byte order marks', 'unknown', answers((betId) => BOM + BOM + good(betId))],
  ['a byte order mark of UTF-16', 'unknown', answers((betId) => Buffer.from(BOM + good(betId), 'utf16le'))],
  ['white space around the body', 'accepted', answers((betId) => `\r\n ${good(betId)}\n`)],
  ['100 Continue in one piece with the answer', 'accepted', after(CONTINUE)],
  ['100 Continue alone, before the answer', 'accepted', alone(CONTINUE)],
  ['100 Continue twice', 'accepted', after(CONTINUE + CONTINUE)],
  ['100 Continue with headers', 'accepted', after('HTTP/1.1 100 Continue\r\nServer: x\r\n\r\n')],
  ['102 and 103', 'accepted', after('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n')],
  ['100 Continue and nothing else', 'unknown', sendsAndEnds(() => CONTINUE)],
  ['chunks of one byte with trailers', 'accepted', sends(chunked)],
  ['chunks that end early', 'unknown', sendsAndEnds((betId) => chunked(betId).slice(0, -20))],
  ['HTTP/1.0 without a length', 'accepted', sendsAndEnds((betId) => `HTTP/1.0 200 OK\r\n\r\n${good(betId)}`)],
  ['Connection: close', 'accepted', sendsAndEnds(whole(good, { headers: 'Connection: close\r\n' }))],
  ['another content type', 'accepted', answers(good, { headers: 'Content-Type: text/html; charset=x\r\n' })],
  ['a length beyond the body', 'unknown', sendsAndEnds(whole(good, { length: 500 }))],
  ['a length within the body', 'unknown', sendsAndEnds(whole(good, { length: 20 }))],
  ['no answer', 'unknown', (socket) => void socket.end()],
  ['a reset', 'unknown', (socket) => void socket.resetAndDestroy()],
  ['an empty body', 'unknown', answers(text(''))],
  ['a list', 'unknown', answers((betId) => `[${good(betId)}]`)],
  ['text after the object', 'unknown', answers((betId) => `${good(betId)}x`)],
  ['201', 'unknown', answers(good, { status: '201 Created' })],
  ['204', 'unknown', sends(() => 'HTTP/1.1 204 No Content\r\n\r\n')],
  ['302', 'unknown', answers(good, { status: '302 Found', headers: 'Location: /\r\n' })],
  ['404 with a code', 'unknown', refuses('{"code":9,"message":"x"}', '404 Not Found')],
  ['500', 'unknown', refuses(NO_MONEY, '500 Oh')],
  ['a status beyond those of HTTP', 'unknown', answers(good, { status: '999 Oh' })],
  ['the largest body', 'accepted', answers(padded(MAX_BYTES))],
  ['a body that is too large', 'unknown', answers(padded(MAX_BYTES + 1))],
  [
    'a compressed body',
    'unknown',
    answers((betId) => gzipSync(good(betId)), { headers: 'Content-Encoding: gzip\r\n' }),
  ],
  ['a text that is not UTF-8', 'accepted', answers(latin1(withMember('"note":"\u00e9"')))],
  ['a message that is not UTF-8', 'refused 7', refuses(Buffer.from('{"code":7,"message":"\u00e9"}', 'latin1'))],
  [
    'another id, then this one',
    'accepted',
    answers((betId) => good(betId).replace('{', '{"transactionId":"another-bet",')),
  ],
  ['this id, then another one', 'unknown', answers(withMember('"transactionId":"another-bet"'))],
  ['another id', 'unknown', answers(() => good('another-bet-than-this'))],
  ['no time', 'unknown', answers((betId) => `{"transactionId":"${betId}"}`)],
  ['code 0 in an acceptance', 'accepted', answers(withMember('"code":0,"message":"ok"'))],
  ['code "0" in an acceptance', 'accepted', answers(withMember('"code":"0"'))],
  ['code null in an acceptance', 'accepted', answers(withMember('"code":null'))],
  ['code 7 in an acceptance (D-5)', 'unknown', answers(withMember('"code":7,"message":"Not enough money"'))],
  ['code 100 in an acceptance (D-5)', 'unknown', answers(withMember('"code":100'))],
  ['code "7" in an acceptance (D-5)', 'unknown', answers(withMember('"code":"7"'))],
  ['code 0, then code 7 in an acceptance (D-5)', 'unknown', answers(withMember('"code":0,"code":7'))],
  ['200 with a code alone', 'unknown', answers(text(NO_MONEY))],
  ['400 without a code', 'unknown', refuses('{"message":"no"}')],
  ['400 without a body', 'unknown', refuses('')],
  ['400 with a code that is text', 'unknown', refuses('{"code":"7","message":"no"}')],
  ['400 with code 7.0', 'refused 7', refuses('{"code":7.0,"message":"no"}')],
  ['400 with code 5, then code 7', 'refused 7', refuses('{"code":5,"code":7,"message":"no"}')],
  ['400 with code 100', 'unknown', refuses('{"code":100,"message":"no"}')],
]

describe('all four callers treat the answer to Place bet alike:', () => {
  test.concurrent.each(PLACE)('%s: %s', (_what, expected, writes) => expectReading('place', expected, writes))
})

const profile = (more = '') => `{"userId":"ann","currency":"EUR"${more}}`
const PROFILES: [string, Reading, Writes][] = [
  ['a plain profile', 'accepted', answers(text(profile()))],
  ['a byte order mark', 'accepted', answers(text(BOM + profile()))],
  ['a nickname that is not UTF-8', 'unknown', answers(latin1(text(profile(',"customFields":{"nickname":"\u00e9"}'))))],
  ['a userId that is not UTF-8', 'unknown', answers(latin1(text(profile().replace('ann', '\u00e9'))))],
]

describe('all four callers treat the answer to User data alike:', () => {
  test.concurrent.each(PROFILES)('%s: %s', (_what, expected, writes) => expectReading('profile', expected, writes))
})

async function expectReading(asked: RequestKind, expected: Reading, writes: Writes): Promise<void> {
  const server = await startOddServer(writes)
  servers.push(server)
  const callers = Object.entries(CALLERS).filter(([name]) => asked === 'place' || name !== 'load')
  const readings = await Promise.all(callers.map(async ([name, call]) => [name, await call(server.url, asked)]))
  expect(Object.fromEntries(readings)).toEqual(Object.fromEntries(callers.map(([name]) => [name, expected])))
}
