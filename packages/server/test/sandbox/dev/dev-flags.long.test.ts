/**
 * `purser dev` as a program: players from a file or a command, a path prefix with an own header, a
 * kept database, and a wallet that is away.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningWallet, startTestWallet } from '../../../../conformance/test/mutants/wallet.ts'
import { newFolder, run } from '../../cli/command.ts'
import { operatorClient, playerWithMoney } from '../../support/operator.ts'

const folder = newFolder()
let wallet: RunningWallet
let players: Awaited<ReturnType<typeof playerWithMoney>>[]
beforeAll(async () => {
  wallet = await startTestWallet()
  const operator = operatorClient(wallet.url, wallet.operatorKey)
  players = await Promise.all(['EUR', 'KWD'].map((currency) => playerWithMoney(operator, '1000.00', currency)))
})
afterAll(async () => {
  await wallet.close()
  folder.remove()
})

const STEPS = JSON.stringify([{ operation: 'place' }, { operation: 'settle', amount: '25' }])

/** Plays a bet and its result, without a terminal. */
async function playSteps(url: string, ...flags: string[]) {
  const file = join(folder.path, 'steps.json')
  writeFileSync(file, STEPS)
  return run(['dev', '--wallet', url, '--secret', wallet.secret, '--scenario', file, ...flags])
}

describe('purser dev', () => {
  test('takes its players from a file in the form of the kit', async () => {
    const file = join(folder.path, 'players.json')
    const listed = players.map(({ userId, token, currency }) => ({ userId, token, currency, balance: '1000.00' }))
    writeFileSync(file, JSON.stringify({ currency: 'EUR', otherCurrency: 'KWD', players: listed }))
    const { code, stdout } = await playSteps(wallet.url, '--players', file)
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/2 players are ready: [\s\S]* \(EUR\),[\s\S]* \(KWD\)\./)
    expect(stdout).toContain(`--fixtures '${file}'`)
  })

  test('takes a player from a command that prints one token', async () => {
    const { code, stdout } = await playSteps(wallet.url, '--token-command', `echo ${players[0]?.token}`)
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/Settle .* won 25\.00 EUR → 200 .* right: /)
  })

  test('continues with a kept database', async () => {
    const flags = ['--token', players[0]?.token ?? '', '--keep', join(folder.path, 'kept')]
    for (const _ of ['first', 'second']) expect((await playSteps(wallet.url, ...flags)).code).toBe(0)
  })

  test('sends a header of its own, and keeps a path prefix', async () => {
    const front = await startPrefixedFront(wallet.url)
    const flags = ['--token', players[0]?.token ?? '', '--wait', '0']
    const [bare, refused, right] = [
      await playSteps(front.url, ...flags),
      await playSteps(`${front.url}/api`, ...flags),
      await playSteps(`${front.url}/api/`, ...flags, '--header', 'x-tenant: a b'),
    ]
    await front.close()
    expect([bare.code, refused.code, right.code]).toEqual([1, 1, 0])
    expect(bare.stdout).toMatch(/no such path[\s\S]*prefix/)
    expect(bare.stdout).not.toContain('R-1') // the sentence is enough
    expect(refused.stdout).toMatch(/did not let the caller in[\s\S]*--header/)
  })

  test('ends with 3 without a terminal if the wallet stays away', async () => {
    const { code, stdout, stderr } = await playSteps('http://127.0.0.1:9', '--token', 'abcdefghij', '--wait', '1')
    expect(code).toBe(3)
    expect(stdout).toMatch(/accepts no connections/)
    expect(stderr).toMatch(/accepted no connection for 1 s/)
  })
})

/** Serves the wallet below /api, for callers with a header. */
async function startPrefixedFront(walletUrl: string) {
  const server = createServer((incoming, reply) => {
    const { url = '', method = 'POST', headers } = incoming
    if (!url.startsWith('/api/')) return reply.writeHead(404).end('Not Found')
    if (headers['x-tenant'] !== 'a b') return reply.writeHead(401).end('Unauthorized')
    const outgoing = httpRequest(walletUrl + url.slice('/api'.length), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(reply)
    })
    return incoming.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
