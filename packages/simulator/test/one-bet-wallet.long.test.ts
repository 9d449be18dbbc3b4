/**
 * In every history of one bet, a wallet on Postgres answers over HTTP as the auditor expects.
 *
 * By day the test plays all histories of up to three steps, and one in thirty of four steps. `npm
 * run nightly` plays all of four steps. HISTORY="place; settle 25" in the environment plays a
 * single history.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { run } from '../../server/test/cli/command.ts'
import { dueOf, IS_NIGHTLY } from '../../server/test/support/nightly.ts'
import { startWallet, type TestWallet } from '../../server/test/support/wallet.ts'
import {
  type Members,
  placeMessage,
  replyCode,
  rollbackMessage,
  settleMessage,
  unsettleMessage,
  type WireReply,
} from '../../server/test/support/wire.ts'
import type { HistoryPosition } from '../src/one-bet/history-fingerprint.ts'
import { createJudge } from '../src/one-bet/history-search.ts'
import { applyAction, START_POSITION } from '../src/one-bet/history-step.ts'
import {
  BET_ACTIONS,
  type BetAction,
  CALLS,
  chooseRequest,
  formatHistory,
  parseHistory,
} from '../src/one-bet/one-bet-actions.ts'
import { OPENING } from '../src/one-bet/one-bet-model.ts'

const LENGTH = 4
/** For the second policy: its differences from the first occur after three steps too. */
const SHORTER = 3
/** Days until each history of full length was played. */
const DAYS = 30
/** Histories in progress. */
const SIDE_BY_SIDE = 48
const ALONE = process.env.HISTORY === undefined ? undefined : parseHistory(process.env.HISTORY)

interface Step {
  readonly letter: BetAction
  /** For a call: its request, and the expected answer. */
  readonly request: number
  readonly answer: string | undefined
  /** The balance after the step, in minor units. */
  readonly balance: bigint
}

type Judge = ReturnType<typeof createJudge>

function follow(
  judge: Judge,
  place: HistoryPosition,
  letter: BetAction,
  moment: number,
): { step: Step; place: HistoryPosition } | undefined {
  const stepped = applyAction(judge, place, letter, moment)
  if (stepped === undefined) return undefined
  if (stepped.complaint !== undefined) throw new Error(`the rules themselves: ${stepped.complaint}`)
  const request = letter.kind === 'call' ? chooseRequest(letter, place.sent, place.requests) : place.sent.place?.[0]
  const { position: after, answer } = stepped
  return { step: { letter, request: request ?? 0, answer, balance: after.state.account.balance }, place: after }
}

/** Histories of full length that end with a call. Every other history is the beginning of one. */
function* histories(
  judge: Judge,
  length: number,
  place: HistoryPosition = START_POSITION,
  steps: readonly Step[] = [],
): Generator<readonly Step[]> {
  for (const letter of BET_ACTIONS) {
    const found = follow(judge, place, letter, steps.length + 1)
    if (found === undefined) continue
    if (steps.length + 1 < length) yield* histories(judge, length, found.place, [...steps, found.step])
    else if (letter.kind !== 'event') yield [...steps, found.step]
  }
}

function alone(judge: Judge, letters: readonly BetAction[]): Step[] {
  let place = START_POSITION
  return letters.map((letter, i) => {
    const found = follow(judge, place, letter, i + 1)
    if (found === undefined) throw new Error(`there is nothing to send again at step ${i + 1}`)
    place = found.place
    return found.step
  })
}

/** True if the two policies give different answers or balances. */
function answersDiffer(judge: Judge, other: Judge, letters: readonly BetAction[]): boolean {
  const expected = (by: Judge) => alone(by, letters).map(({ answer, balance }) => `${answer} ${balance}`)
  return expected(judge).join() !== expected(other).join()
}

/** Throws with the story at the first different answer. Resolves to the expected balance. */
async function live(
  { wire, operator }: TestWallet,
  steps: readonly Step[],
  userId: string,
  setExpiry: (userId: string, hours: number) => Promise<unknown>,
): Promise<bigint> {
  const bet = { userId, token: await operator.session(userId), transactionId: `bet-of-${userId}` }
  const ask = async (method: string, path: string, body?: object) => {
    const { status, text } = await operator.request(method, `/operator/players/${userId}${path}`, body).then(toText)
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status} ${text}`)
  }
  const move = (units: bigint, reference: string) =>
    ask('POST', units > 0n ? '/deposits' : '/withdrawals', {
      ...{ currency: 'EUR', reference, amount: decimal(units > 0n ? units : -units) },
    })
  const times = new Map<string, string>()
  let balance: bigint = OPENING
  let isLocked = false
  for (const [i, { letter, ...said }] of steps.entries()) {
    if (letter.kind !== 'event') {
      const reply = await wire.call(...messageOf(letter, said.request, bet))
      const received = answerIn(reply, said.answer ?? '', times)
      if (received !== said.answer) throw new Error(storyOf(steps.slice(0, i + 1), `${received} ${reply.text}`))
    } else if (letter.name === 'money') await move(said.balance - balance, `step ${i}`)
    else if (letter.name === 'token') await setExpiry(userId, -1)
    else if (letter.name === 'token back') await setExpiry(userId, 1)
    else {
      isLocked = !isLocked
      await ask(isLocked ? 'PUT' : 'DELETE', `/bets/${bet.transactionId}/lock`)
    }
    balance = said.balance
  }
  return balance
}

function toText({ status, body }: { status: number; body: unknown }) {
  return { status, text: JSON.stringify(body) }
}

function storyOf(steps: readonly Step[], received: string): string {
  const history = formatHistory(steps.map(({ letter }) => letter))
  const again = `HISTORY="${history}" npx vitest run packages/simulator/test/one-bet-wallet.long.test.ts`
  return `${history}: answered ${received}, must be ${steps.at(-1)?.answer}; again: ${again}`
}

function decimal(units: bigint): string {
  return `${units / 100n}.${`${units % 100n}`.padStart(2, '0')}`
}

function messageOf(letter: BetAction, request: number, bet: Members): [method: string, path: string, body: object] {
  const said = CALLS[letter.kind === 'call' ? letter.name : 'place']
  const members = { ...bet, requestId: `request-number-${request}`, amount: Number(said.amount) / 100 }
  switch (said.kind) {
    case 'place':
      return [letter.kind === 'call' ? 'POST' : 'PUT', '/payment/bet', placeMessage(members)]
    case 'settle':
      return ['PUT', '/payment/bet', settleMessage({ ...members, resultType: said.resultType })]
    case 'unsettle':
      return ['PUT', '/payment/bet', unsettleMessage(members)]
    case 'rollback':
      return ['PUT', '/payment/bet', rollbackMessage(members)]
    default:
      return said satisfies never
  }
}

/** The answer as the auditor writes it. The first answer about a moment defines its time. */
function answerIn(reply: WireReply, must: string, times: Map<string, string>): string {
  if (reply.status !== 200) return `${reply.status}/${replyCode(reply)}`
  if (!must.startsWith('200')) return '200'
  const time = timeIn(reply)
  const expected = times.get(must) ?? time
  times.set(must, expected)
  return time === expected ? must : `200 with the time ${time} instead of ${expected}`
}

function timeIn({ body }: WireReply): string {
  const time = typeof body === 'object' && body !== null && !Array.isArray(body) ? body.transactionTime : undefined
  if (typeof time !== 'string') throw new Error(`a 200 without a time: ${JSON.stringify(body)}`)
  return time
}

const nameOf = (i: number) => `player-${i}`

/** Imports all players at once, as an operator does. */
async function importPlayers({ databaseUrl }: TestWallet, count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'one-bet-'))
  const file = join(folder, 'players.csv')
  const lines = Array.from({ length: count }, (_, i) => `${nameOf(i)},EUR,${decimal(OPENING)}`)
  writeFileSync(file, ['userId,currency,balance', ...lines].join('\n'))
  const { code, stderr } = await run(['import', file], { DATABASE_URL: databaseUrl })
  rmSync(folder, { recursive: true })
  if (code !== 0) throw new Error(stderr)
}

async function balances({ databaseUrl }: TestWallet): Promise<Map<string, bigint>> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query(`select player, balance from purser.account where currency = 'EUR'`)
  await client.end()
  return new Map(rows.map(({ player, balance }) => [player, BigInt(balance)]))
}

/** By day all shorter histories, and a part of those with full length. */
function* ofFirst(judge: Judge): Generator<readonly Step[]> {
  if (!IS_NIGHTLY) yield* histories(judge, SHORTER)
  yield* dueOf([...histories(judge, LENGTH)], DAYS)
}

/** The shorter histories, and the full-length ones whose results differ from the first policy's. */
function* ofSecond(judge: Judge, first: Judge): Generator<readonly Step[]> {
  yield* histories(judge, SHORTER)
  for (const steps of dueOf([...histories(judge, LENGTH)], DAYS)) {
    const letters = steps.map(({ letter }) => letter)
    if (answersDiffer(judge, first, letters)) yield steps
  }
}

const refuse = createJudge({ clawback: 'refuse' })
const negative = createJudge({ clawback: 'allow-negative' })

test.each([
  { clawback: 'refuse', judge: refuse, all: () => ofFirst(refuse), least: 10_000 },
  { clawback: 'allow-negative', judge: negative, all: () => ofSecond(negative, refuse), least: 800 },
])(
  'the wallet answers a history of one bet of up to four steps as the decisions say, clawback $clawback',
  { timeout: 600_000 },
  async ({ clawback, judge, all: every, least }) => {
    const wallet = await startWallet({ env: { PURSER_CLAWBACK: clawback } })
    const all = ALONE === undefined ? [...every()] : [alone(judge, ALONE)]
    await importPlayers(wallet, all.length)
    const must = new Map<string, bigint>()
    const database = new pg.Pool({ connectionString: wallet.databaseUrl, max: 4 })
    // This has the effect of a set clock of the wallet, for one history alone.
    const setExpiry = (userId: string, hours: number) =>
      database.query('update purser.session set expires_at = now() + $2 * interval $$1 hour$$ where player = $1', [
        userId,
        hours,
      ])
    const rest = all.entries()
    const worker = async () => {
      for (const [i, steps] of rest) must.set(nameOf(i), await live(wallet, steps, nameOf(i), setExpiry))
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
    await database.end()
    expect(must.size).toBeGreaterThan(ALONE === undefined ? least / (IS_NIGHTLY ? 1 : DAYS) : 0)
    const has = await balances(wallet)
    const wrong = [...must].filter(([player, balance]) => has.get(player) !== balance)
    expect(wrong).toEqual([])
    await wallet.auditIsClean()
    await wallet.stop()
  },
)
