/** Runs `purser dev` in this process, in front of the test wallet of the conformance kit. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type RunningWallet, startTestWallet, type WalletOptions } from '../../../../conformance/test/mutants/wallet.ts'
import { type DevFlags, parseDevOptions } from '../../../src/sandbox/dev/dev-options.ts'
import { runDev } from '../../../src/sandbox/dev/dev-run.ts'
import { operatorClient, playerWithMoney } from '../../support/operator.ts'

export interface DevSession {
  readonly wallet: RunningWallet
  /** Lines of the output so far. */
  output(): string
  /** Resolves when the output matches. */
  printed(pattern: RegExp): Promise<string>
  /** The wallet refuses connections until it is resumed. */
  pauseWallet(): Promise<void>
  resumeWallet(): Promise<void>
  /** Resolves with the page's address when a player is known. */
  ready(): Promise<string>
  ask<T>(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: T }>
  /** Resolves to the exit code. */
  stop(): Promise<number>
  readonly ended: Promise<number>
}

export interface DevSessionOptions extends WalletOptions {
  readonly flags?: Partial<DevFlags>
  readonly players?: number
  /** Currencies of the players in turn. */
  readonly currencies?: readonly string[]
}

const MINUTE_MS = 300

export async function startDevSession(given: DevSessionOptions = {}): Promise<DevSession> {
  const { flags, players = 1, currencies = ['EUR'], ...options } = given
  const wallet = await startTestWallet(options)
  const operator = operatorClient(wallet.url, wallet.operatorKey)
  const made = await Promise.all(
    Array.from({ length: players }, (_, i) => playerWithMoney(operator, '1000.00', currencies[i % currencies.length])),
  )
  const front = await startTcpFront(wallet.url)
  const allFlags: DevFlags = {
    ...{ wallet: front.url, secret: wallet.secret, token: made.map(({ token }) => token), seed: '1' },
    ...{ bettors: '0', faults: '0.1', duration: '0', wait: '60', port: '0', ...flags },
  }
  let text = ''
  const waiting = new Set<() => void>()
  const write = (part: string) => {
    text += part
    for (const check of waiting) check()
  }
  const stopping = new AbortController()
  const ended = runDev(parseDevOptions(allFlags, {}), {
    ...{ output: { write }, noColour: true, env: {}, signal: stopping.signal },
    ...{ isInteractive: true, minuteMs: MINUTE_MS },
  }).finally(async () => {
    await front.pause()
    await wallet.close()
  })
  const matched = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      void ended.then(() => reject(new Error(`ended:\n${text}`)), reject)
      const check = () => {
        const found = pattern.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      }
      waiting.add(check)
      check()
    })
  const url = () => /The page is at (\S+)\//.exec(text)?.[1] ?? ''
  return {
    ...{ wallet, ended, output: () => text, printed: matched, pauseWallet: front.pause, resumeWallet: front.resume },
    async ready() {
      await matched(/(The player is|players are ready)/)
      return url()
    },
    async ask<T>(method: string, path: string, body?: object) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(url() + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: answer.status, body: (await answer.json()) as T }
    },
    stop() {
      stopping.abort()
      return ended
    },
  }
}

/** A port in front of the wallet that can be closed and opened, as by a restart. */
async function startTcpFront(walletUrl: string) {
  const { port: target } = new URL(walletUrl)
  const sockets = new Set<Socket>()
  let server = createServer()
  let port = 0
  const resume = async () => {
    server = createServer((socket) => {
      const outgoing = connect(Number(target), '127.0.0.1')
      for (const one of [socket, outgoing]) {
        sockets.add(one)
        one.on('error', () => {}).once('close', () => sockets.delete(one))
      }
      socket.pipe(outgoing).pipe(socket)
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  const pause = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await resume()
  return { url: `http://127.0.0.1:${port}`, pause, resume }
}
