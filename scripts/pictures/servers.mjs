/**
 * Starts servers for the pictures of the console: a sandbox with bets, and a wallet and a platform
 * that are empty.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url))
const SECRET = 'testdemo'
const START_MS = 300_000
const POLL_MS = 200
export const KEY = 'a-key-for-pictures-only'

/** The seed makes the same bets in every run. */
export async function startSandbox(flags = ['--rate', '2']) {
  const env = { PATH: process.env.PATH, PORT: '0', PURSER_DATA_DIR: 'memory://' }
  const child = spawn(process.execPath, [MAIN, 'sandbox', ...flags, '--seed', '7', '--quiet'], { env })
  let text = ''
  child.stderr.resume()
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`the sandbox has not started:\n${text}`)), START_MS).unref()
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('Ctrl-C stops it')) resolve()
    })
  })
  const named = (name) => new RegExp(`^${name} +(\\S+)`, 'm').exec(text)?.[1] ?? ''
  return { url: named('Purser wallet'), key: named('Operator key'), stop: () => child.kill('SIGKILL') }
}

/** `what`: wallet or platform. */
export async function startServerAlone(what) {
  const port = await freePort()
  const secrets = { OPERATOR_API_KEY: KEY, PLATFORM_API_KEY: KEY, PARTNER_SECRET: SECRET }
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    HOST: '127.0.0.1',
    PURSER_DATA_DIR: 'memory://',
    ...secrets,
  }
  const child = spawn(process.execPath, [MAIN, what], { env, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (let waited = 0; !(await isReady(url)); waited += POLL_MS) {
    if (waited > START_MS || child.exitCode !== null) throw new Error(`the ${what} has not started`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return { url, key: KEY, stop: () => child.kill('SIGKILL') }
}

const isReady = (url) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

export function createApiCaller({ url, key }) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(url + path, { method, headers, ...sent })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Sends bet calls as a platform would. */
export function createWireCaller({ url }) {
  return async (method, message) => {
    const { signBody } = await import('@purser/protocol/signature')
    const body = JSON.stringify(message)
    const headers = { 'content-type': 'application/json', 'x-sign-jws': signBody(Buffer.from(body), SECRET) }
    const answer = await fetch(`${url}/payment/bet`, { method, headers, body })
    if (!answer.ok) throw new Error(`${body} was answered ${answer.status} ${await answer.text()}`)
  }
}
