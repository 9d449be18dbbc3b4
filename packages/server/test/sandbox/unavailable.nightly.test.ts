/**
 * The scenarios of the demo wait while the platform considers the wallet down, as on a busy
 * machine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Server, startUntil } from '../cli/command.ts'

let sandbox: Server
let url: string
let key: string

beforeAll(async () => {
  const unheard = ['--rate', '3', '--faults', '1']
  sandbox = await startUntil(/Ctrl-C stops it/, ['sandbox', ...unheard], { PORT: '0', PURSER_DATA_DIR: 'memory://' })
  const named = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(sandbox.output())?.[1] ?? ''
  url = named('Purser wallet')
  key = named('Operator key')
})
afterAll(() => sandbox.kill('SIGKILL'))

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return answer.json()
}

async function isDown(): Promise<boolean> {
  const { data } = (await ask('GET', '/sandbox/platform/partners')) as { data: { partnerId: string; state: string }[] }
  return data.some(({ partnerId, state }) => partnerId === 'sandbox' && state !== 'up')
}

test('a scenario waits until the platform calls the wallet, and reports none of its bets as refused', async () => {
  for (const trouble of ['twice', 'late answer', 'twice', 'correct', 'twice', 'twice']) {
    await expect.poll(isDown, { timeout: 120_000 }).toBe(true)
    const reply = await ask('POST', '/sandbox/frame/troubles', { trouble })
    expect(reply, trouble).toMatchObject({ isAsDemanded: true })
  }
  const { bets } = (await ask('GET', '/sandbox/frame')) as { bets: { status: string }[] }
  expect(bets.map(({ status }) => status)).toEqual([
    'accepted',
    'accepted',
    'settled',
    'accepted',
    'cancelled',
    'accepted',
  ])
}, 600_000)
