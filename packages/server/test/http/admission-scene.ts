/**
 * Starts a server whose capacity the test controls, and opens connections to which the test writes.
 */
import { connect } from 'node:net'
import type { WireReply } from '@purser/protocol/wire-reply'
import { createHttpApp } from '../../src/core/http/http-app.ts'
import { registerWire } from '../../src/core/partner-wire/partner-wire.ts'
import type { Finishing } from '../support/fault-scene.ts'

const YES: { reply: WireReply } = { reply: { status: 200, body: '{"yes":true}' } }
/** Days, so that no deadline passes during a test. */
const ENDLESS = { usefulWaitMs: 1e9, maxWaitMs: 1e9 }
export const SHORT = { usefulWaitMs: 40, maxWaitMs: 500 }

/** Accepts every call that it admits; the test sets the capacity. */
export async function openServer({ onTestFinished }: Finishing, admissionDeadlines = ENDLESS) {
  const http = createHttpApp({ admissionDeadlines })
  const { app, admission } = http
  let room = 1
  let started = 0
  let downstreamCapacity = Number.POSITIVE_INFINITY
  admission.addCapacity(() => room)
  await registerWire(http, {
    handle: async () => {
      started += 1
      return YES
    },
    handleUnreadable: () => YES,
    handleError: () => YES,
    onFailure() {},
    onAnswered() {},
  })
  app.get('/healthz', async () => ({ status: 'ok' }))
  let closes = 0
  let onClose = () => {}
  app.server.on('connection', (socket) => {
    socket.once('close', () => {
      closes += 1
      onClose()
    })
  })
  /** Resolves after the server has seen this number of connections close. */
  const closed = (count: number) =>
    new Promise<void>((resolve) => {
      onClose = () => closes >= count && resolve()
      onClose()
    })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  let checks = 0
  admission.setDownstreamCapacity(() => {
    checks += 1
    return downstreamCapacity
  })
  const setRoom = (calls: number) => {
    room = calls
  }
  const setDownstreamCapacity = (calls: number) => {
    downstreamCapacity = calls
  }
  return {
    ...{ app, url, admission, setRoom, setDownstreamCapacity, closed },
    checks: () => checks,
    started: () => started,
  }
}

export const post = (url: string, path: string, method = 'POST') => fetch(url + path, { method, body: '{"a":1}' })
export const BODY = '{"a":1}'
export const CALL = `POST /payment/bet HTTP/1.1\r\nhost: a\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`

/** A connection to which the test writes, with its received statuses. */
export async function openCaller(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1')
  socket.on('error', () => {}) // the server may close first
  const statuses: string[] = []
  let all = ''
  let text = ''
  let onAnswer = () => {}
  socket.on('data', (chunk) => {
    all += chunk
    text += chunk
    const found = [...text.matchAll(/HTTP\/1\.1 (\d+) [^{]*\{[^}]*\}/g)]
    text = text.slice((found.at(-1)?.index ?? 0) + (found.at(-1)?.[0].length ?? 0))
    statuses.push(...found.map(([, status]) => status as string))
    onAnswer()
  })
  const answered = (count: number) =>
    new Promise<string[]>((resolve) => {
      onAnswer = () => statuses.length >= count && resolve(statuses)
      onAnswer()
    })
  return {
    send: (calls: number) => void socket.write(CALL.repeat(calls)),
    write: (text: string) => void socket.write(text),
    statuses,
    all: () => all,
    answered,
    ended: new Promise<void>((resolve) => socket.once('close', () => resolve())),
    end: () => socket.end(),
  }
}
