/**
 * The scenarios of the demo explain what happened when the player has no money, has another bet, or
 * may not bet. They also report a correction that the wallet rejects.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Server, startUntil } from '../cli/command.ts'

let sandbox: Server
let url: string
let key: string

beforeAll(async () => {
  const quiet = ['--rate', '0', '--faults', '0']
  sandbox = await startUntil(/Ctrl-C stops it/, ['sandbox', ...quiet], { PORT: '0', PURSER_DATA_DIR: 'memory://' })
  const named = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(sandbox.output())?.[1] ?? ''
  url = named('Purser wallet')
  key = named('Operator key')
})
afterAll(() => sandbox.kill('SIGKILL'))

async function ask<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: (await answer.json()) as T }
}

interface Caption {
  readonly money: string
  readonly isAsDemanded: boolean
}
interface State {
  readonly balance: string
  readonly matches: readonly { readonly id: string }[]
  readonly bets: readonly {
    readonly betId: string
    readonly status: string
    readonly notBooked?: { readonly code: number; readonly paid: string }
  }[]
}

const state = async () => (await ask<State>('GET', '/sandbox/frame')).body
const trouble = (name: string) => ask<Caption>('POST', '/sandbox/frame/troubles', { trouble: name })

async function withdrawAllBut(left: string): Promise<void> {
  const cents = (text: string) => BigInt(text.replace('.', ''))
  const text = `${cents((await state()).balance) - cents(left)}`.padStart(3, '0')
  const amount = `${text.slice(0, -2)}.${text.slice(-2)}`
  const movement = { currency: 'EUR', amount, reference: randomUUID() }
  expect((await ask('POST', '/operator/players/robin/withdrawals', movement)).status).toBeLessThan(300)
}

async function placeOnEach(): Promise<string[]> {
  const { matches } = await state()
  const placed: string[] = []
  for (const { id } of matches) {
    const betBody = { matchId: id, outcome: 'away', stake: '1.00' }
    const { body } = await ask<{ betId: string; status: string }>('POST', '/sandbox/frame/bets', betBody)
    expect(body.status).toBe('accepted')
    placed.push(body.betId)
  }
  return placed
}

test.each(['correct', 'take back', 'lost answer', 'late call', 'twice'])(
  'the scenario “%s” deposits when the balance is too small, and settles no other bet of the player',
  async (name) => {
    await ask('POST', '/sandbox/frame/money')
    const others = await placeOnEach()
    await withdrawAllBut('2.40')
    const { body } = await trouble(name)
    expect(body).toMatchObject({ isAsDemanded: true })
    expect(body.money).toContain('The balance was 2.40, so 100.00 was deposited first.')
    const { bets } = await state()
    expect(others.map((id) => bets.find(({ betId }) => betId === id)?.status)).toEqual(others.map(() => 'accepted'))
  },
)

test('the scenario “two bets” reports what it withdrew or deposited to make the balance 100.00', async () => {
  await ask('POST', '/sandbox/frame/money')
  await withdrawAllBut('130.50')
  for (const said of [
    'The balance was 130.50, so 30.50 was withdrawn first to make it 100.00. The balance went from 100.00 to 20.00;',
    'The balance was 20.00, so 80.00 was deposited first to make it 100.00. The balance went from 100.00 to 20.00;',
  ]) {
    const { body } = await trouble('two bets')
    expect(body).toMatchObject({ isAsDemanded: true })
    expect(body.money).toContain(said)
  }
})

test('a scenario reports no result when the wallet refuses the bet of a player who may not bet', async () => {
  await ask('POST', '/sandbox/frame/money')
  await ask('PATCH', '/operator/players/robin', { status: 'blocked' })
  for (const name of ['correct', 'two bets'])
    expect(await trouble(name)).toMatchObject({ status: 409, body: { code: 'bet_refused' } })
  await ask('PATCH', '/operator/players/robin', { status: 'active' })
  expect(await trouble('twice')).toMatchObject({ body: { isAsDemanded: true } })
})

test('a scenario does not report a correction as booked when the wallet refuses it, and says what is still paid (L-2)', async () => {
  await ask('POST', '/sandbox/frame/money')
  const { matches } = await state()
  const betBody = { matchId: matches[0]?.id, outcome: 'home', stake: '25' }
  const { body: placed } = await ask<{ betId: string }>('POST', '/sandbox/frame/bets', betBody)
  const end = (what: string) => ask('POST', `/sandbox/frame/bets/${placed.betId}`, { what })
  const bet = async () => (await state()).bets.find(({ betId }) => betId === placed.betId)
  expect(await bet(), 'however it was typed').toMatchObject({ stake: '25.00' })
  await end('won')
  expect((await bet())?.notBooked).toBeUndefined()
  const path = `/operator/players/robin/bets/${placed.betId}`
  const { payout } = (await ask<{ payout: string }>('GET', path)).body
  await withdrawAllBut('2.40')
  await end('correct')
  expect(await bet()).toMatchObject({ status: 'settled', resultType: 'lost', notBooked: { code: 21, paid: payout } })
})
