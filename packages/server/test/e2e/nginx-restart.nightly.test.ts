/**
 * Two wallets restart one after the other without a failed call. Debian's nginx, configured as in
 * the guide, distributes the calls.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { blocksOf } from '../../../../test/docs/markdown.ts'
import { read } from '../../../../test/tidy/source.ts'
import { type Finishing, newDatabase, newWallet } from '../support/fault-scene.ts'
import { playerWithMoney } from '../support/operator.ts'
import { freePort } from '../support/postgres-server.ts'
import { until } from '../support/server-settings.ts'
import type { WalletProcess } from '../support/wallet-process.ts'
import { placeMessage, sign } from '../support/wire.ts'

const BETTORS = 4
const MONEY = 100_000
const PARTNER_SECRET = 'a secret that both wallets have'

/** The guide's configuration, with other addresses and without TLS. */
function guideFor(port: number, wallets: readonly number[]): string {
  const block = blocksOf(read('docs/guides/behind-a-proxy.md')).find(({ info }) => info === 'nginx')
  const addresses = wallets.values()
  return (block?.text ?? '')
    .replaceAll(/server 10\.0\.0\.\d+:8080/g, () => `server 127.0.0.1:${addresses.next().value}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_.*\n/gm, '')
}

/** Resolves to nginx's address. */
async function startNginx({ onTestFinished }: Finishing, wallets: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-nginx-'))
  const port = await freePort()
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const own = `pid ${folder}/pid; daemon off; error_log stderr warn; worker_processes 2; events {}`
  const config = `${own}\nhttp { access_log off; ${paths.join(' ')}\n${guideFor(port, wallets)} }\n`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = once(child, 'exit').catch((error: Error) => {
    said = `${error.message}: install Debian's package nginx-light`
  })
  onTestFinished(async () => {
    child.kill('SIGQUIT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await Promise.race([until(isUp), ended.then(() => Promise.reject(new Error(`nginx has ended: ${said}`)))])
  return url
}

interface Load {
  answered: number
  /** Status or error of each call that was not answered 200. */
  readonly failed: unknown[]
  isOver: boolean
}

async function keepBetting(url: string, { secret, operator }: WalletProcess, load: Load): Promise<number> {
  const player = await playerWithMoney(operator, `${MONEY}.00`)
  const dispatcher = new Agent({ connections: 1 })
  let accepted = 0
  while (!load.isOver) {
    const body = JSON.stringify(placeMessage({ ...player, amount: 1 }))
    const headers = { 'x-sign-jws': sign(body, secret) }
    try {
      const reply = await request(`${url}/payment/bet`, { method: 'POST', headers, body, dispatcher })
      await reply.body.text()
      if (reply.statusCode === 200) accepted += 1
      else load.failed.push(reply.statusCode)
    } catch (error) {
      load.failed.push(error)
    }
    load.answered += 1
  }
  await dispatcher.close()
  expect(await operator.balance(player.userId)).toBe(`${MONEY - accepted}.00`)
  return accepted
}

test('no call through nginx fails while each of two wallets restarts', async (context) => {
  const databaseUrl = await newDatabase(context)
  const ports = [await freePort(), await freePort()]
  const start = (port: number) =>
    newWallet(context, {
      databaseUrl,
      port,
      env: { PARTNER_SECRET, OPERATOR_API_KEY: 'key', PURSER_DRAIN_SECONDS: '5' },
    })
  const wallets = await Promise.all(ports.map(start))
  const url = await startNginx(context, ports)
  const [asked] = wallets
  if (asked === undefined) throw new Error('no wallet')
  const load: Load = { answered: 0, failed: [], isOver: false }
  const betting = Promise.all(Array.from({ length: BETTORS }, () => keepBetting(url, asked, load)))
  const someMore = async () => {
    const before = load.answered
    await until(async () => load.answered > before + 8 * BETTORS)
  }
  await someMore()
  for (const [i, port] of ports.entries()) {
    expect(await wallets[i]?.kill('SIGTERM')).toBe(0)
    wallets[i] = await start(port) // a wallet that listens is ready
    await someMore()
  }
  load.isOver = true
  const accepted = await betting
  expect(load.failed).toEqual([])
  expect(accepted.reduce((sum, one) => sum + one, 0)).toBe(load.answered)
  await wallets[0]?.auditIsClean()
})
