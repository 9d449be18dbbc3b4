/** The command `purser calls` prints the journal of calls, and follows new calls with --follow. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { run, startUntil } from '../cli/command.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

let wallet: TestWallet
let env: Record<string, string>

beforeAll(async () => {
  wallet = await startWallet()
  env = { OPERATOR_API_KEY: wallet.operatorKey }
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const calls = (...flags: string[]) => run(['calls', '--api', wallet.url, ...flags], env)

test('the command prints one line for each matching call, the newest last', async () => {
  const bettor = await playerWithMoney(wallet.operator, '15.00')
  const [good, poor] = [randomUUID(), randomUUID()]
  await wallet.wire.place({ ...bettor, transactionId: good, amount: 10 })
  await wallet.wire.place({ ...bettor, transactionId: poor, amount: 10 })
  let shown = await calls('--player', bettor.userId)
  while (shown.stdout.split('\n').length < 3) {
    await sleep(50)
    shown = await calls('--player', bettor.userId)
  }
  const [first, second] = shown.stdout.split('\n')
  expect(first).toMatch(
    new RegExp(`^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} 200 +place +accepted +[\\d.]+ ms +${bettor.userId} +${good}$`),
  )
  expect(second).toMatch(new RegExp(` 400/7 +place +not_enough_money .* ${poor}$`))
  const refused = await calls('--player', bettor.userId, '--code', '7', '--json')
  expect(
    refused.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).transactionId),
  ).toEqual([poor])
})

test('--follow continues with new calls', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const betId = randomUUID()
  const tail = startUntil(new RegExp(` accepted .* ${betId}`), ['calls', '--api', wallet.url, '--follow'], env)
  await wallet.wire.place({ ...bettor, transactionId: betId, amount: 1 })
  expect(await (await tail).kill('SIGINT')).toBe(0)
})

test('--follow shows a slow call on a wallet with many other calls meanwhile', async () => {
  const journal = await startJournal()
  onTestFinished(journal.stop)
  const flags = ['--api', journal.url, '--follow', '--limit', '1']
  const { kill, output } = await startUntil(/ slow-1 .* slow-2 /s, ['calls', ...flags], env)
  expect(await kill('SIGINT')).toBe(0)
  const shown = output().match(/ (quick|slow)-\d+ /g) ?? []
  expect(new Set(shown).size).toBe(shown.length)
  expect(shown).not.toContain(' slow-0 ')
  expect(journal.looksBack('all')).toBeLessThanOrEqual(4 * SECOND_MS)
  expect(journal.looksBack('slow')).toBeLessThanOrEqual(30 * SECOND_MS)
})

test('--follow shows the first call on a machine whose clock is ahead of the wallet’s clock', async () => {
  const at = Date.now() - 60 * SECOND_MS
  const call = {
    ...{ id: 'call-0', at: new Date(at).toISOString(), operation: 'place', outcome: 'accepted', player: 'alice' },
    ...{ transactionId: 'the-first', answer: { status: 200 }, milliseconds: { arrival: 1, work: 0 } },
  }
  let looks = 0
  const server = createServer(({ url = '' }, response) => {
    looks += 1
    const from = new URL(url, 'http://journal').searchParams.get('from')
    const isAsked = from !== null && at >= Date.parse(from)
    response.writeHead(looks < LOOKS ? 200 : 500, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: isAsked ? [call] : [], next: null }))
  })
  const journal = await listening(server)
  onTestFinished(journal.stop)
  const flags = ['--api', journal.url, '--follow', '--player', 'alice']
  const { kill, output } = await startUntil(/ the-first/, ['calls', ...flags], env)
  expect(await kill('SIGINT')).toBe(0)
  expect(output().match(/the-first/g)).toHaveLength(1)
})

test('the search continues further back in a long journal until its limit', async () => {
  const pages = [[], ['third'], [], ['second', 'first']]
  const journal = await startPages(pages)
  onTestFinished(journal.stop)
  const found = async (...flags: string[]) => {
    const { code, stdout } = await run(['calls', '--api', journal.url, '--player', 'alice', ...flags], env)
    return { code, bets: stdout.match(/\w+(?=\n)/g) }
  }
  expect(await found()).toEqual({ code: 0, bets: ['first', 'second', 'third'] })
  expect(journal.asked.splice(0)).toEqual(['50 null', '50 page-1', '49 page-2', '49 page-3'])
  expect(await found('--limit', '1')).toEqual({ code: 0, bets: ['third'] })
  expect(journal.asked).toEqual(['1 null', '1 page-1'])
})

test('without a key, with a wrong key or with an invalid filter the command prints the remedy and exits with 2', async () => {
  const without = await run(['calls', '--api', wallet.url])
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('set OPERATOR_API_KEY') })
  expect(await calls('--key', 'another')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rejected this operator key'),
  })
  for (const [flag, wrong, choices] of [
    ['operation', 'setle', 'place, settle, '],
    ['outcome', 'not_enough', 'accepted, .*not_enough_money, '],
    ['code', 'seven', '1, 3, .*100'],
    ['code', '2', '1, 3, .*100'],
  ]) {
    const refused = await calls(`--${flag}`, `${wrong}`)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(
      new RegExp(`^purser: ${wallet.url} rejected the request: /query/${flag} must be one of ${choices}`),
    )
  }
  expect(await calls('--gateway', '--key', wallet.operatorKey)).toMatchObject({ code: 2 })
})

test('an address where no server listens exits with 3', async () => {
  expect(await run(['calls', '--api', 'http://127.0.0.1:1'], env)).toMatchObject({ code: 3 })
})

test('the command without --api calls the default port of the wallet, and with --gateway that of the gateway', async () => {
  const [wallets, gateways] = await Promise.all([
    run(['calls', '--key', 'k']),
    run(['calls', '--gateway', '--key', 'k']),
  ])
  // a server that listens there rejects this key
  expect(wallets.stderr).toContain('http://127.0.0.1:8080')
  expect(gateways.stderr).toContain('http://127.0.0.1:8082')
})

/**
 * A journal whose pages have calls about these bets. It records the limit and cursor of each
 * request.
 */
async function startPages(pages: readonly (readonly string[])[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://journal')
    const after = searchParams.get('after')
    asked.push(`${searchParams.get('limit')} ${after}`)
    const page = Number(after?.slice('page-'.length) ?? 0)
    const data = (pages[page] ?? []).map((transactionId) => ({
      ...{ at: '2031-05-16T18:00:00.000Z', operation: 'place', outcome: 'accepted', player: 'alice', transactionId },
      ...{ answer: { status: 200 }, milliseconds: { arrival: 0, work: 1 } },
    }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data, next: page + 1 < pages.length ? `page-${page + 1}` : null }))
  })
  return { ...(await listening(server)), asked }
}

async function listening(server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

const SECOND_MS = 1_000
const START_MS = Date.parse('2031-05-16T18:00:00Z')

/** Number of polls after which it fails, so that a tail that shows too little ends. */
const LOOKS = 30

/**
 * A journal in which a second passes between two polls, with a short call in each.
 *
 * It has three slow calls. The first is complete before all others. The other two are written
 * later, and one of these began before the first poll.
 */
async function startJournal() {
  const slowOf = (number: number, at: number, writtenAt: number) => ({
    ...{ id: `slow-${number}`, at: at * SECOND_MS, writtenAt: writtenAt * SECOND_MS },
    milliseconds: (writtenAt - at) * SECOND_MS,
  })
  const slow = [slowOf(0, -20, -8), slowOf(1, -5, 4), slowOf(2, 1, 10)]
  const quickOf = (second: number) => ({ id: `quick-${second}`, at: second * SECOND_MS, milliseconds: 1, writtenAt: 0 })
  const farthest = { all: 0, slow: 0 }
  let second = -1
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://journal')
    const from = Date.parse(searchParams.get('from') ?? '') - START_MS
    const slowerThan = searchParams.get('slowerThan')
    if (slowerThan === null) second += 1
    const now = second * SECOND_MS
    if (!Number.isNaN(from)) {
      const kind = slowerThan === null ? 'all' : 'slow'
      farthest[kind] = Math.max(farthest[kind], now - from)
    }
    const quick = Array.from({ length: second + 1 }, (_, i) => quickOf(i))
    const isAsked = ({ at, milliseconds, writtenAt }: ReturnType<typeof slowOf>) =>
      writtenAt <= now && !(at < from) && milliseconds > Number(slowerThan ?? 0)
    const found = [...quick, ...slow].filter(isAsked).sort((a, b) => b.at - a.at)
    const data = found.slice(0, Number(searchParams.get('limit'))).map(({ id, at, milliseconds }) => ({
      ...{ id, at: new Date(START_MS + at).toISOString(), operation: 'place', outcome: 'accepted', player: id },
      ...{ transactionId: 'bet', answer: { status: 200 }, milliseconds: { arrival: milliseconds, work: 0 } },
    }))
    response.writeHead(second < LOOKS ? 200 : 500, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data, next: null }))
  })
  return { ...(await listening(server)), looksBack: (kind: keyof typeof farthest) => farthest[kind] }
}
