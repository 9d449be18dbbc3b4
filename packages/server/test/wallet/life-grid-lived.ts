// Runs the cells of life-grid.ts: a player for each past, the call of the cell, and the outcome in
// the grid's notation.
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Answer, answered, expectAnswer, member, millionths, timeOf } from './answers.ts'
import { type Call, calls, columnOf, life, type Past, pasts, variants, type Way } from './life-grid.ts'
import { cashout } from './life-row.ts'
import { locked } from './moments.ts'
import {
  anomaliesOf,
  balanceOf,
  betView,
  type Column,
  callOf,
  deliver,
  type Members,
  newScene,
  type Scene,
  sendCall,
} from './scene.ts'

export const pastNames = Object.keys(pasts) as Past[]
type Line = Record<Past, string>

/** The lines of one call by variant. Equal variants share a line. */
export function linesOf(call: Call): [variant: string, line: Line][] {
  const [heads = '', ...rest] = life[call].trim().split('\n')
  expect(cellsOf(heads), call).toEqual(pastNames)
  return rest.flatMap((names, index) => {
    if (!names.endsWith(':')) return []
    const cells = cellsOf(rest[index + 1] ?? '')
    expect(cells, `${call}, ${names}`).toHaveLength(pastNames.length)
    const line = Object.fromEntries(pastNames.map((past, at) => [past, cells[at]])) as Line
    return names
      .slice(0, -1)
      .split(';')
      .map((name) => [name.trim(), line] as [string, Line])
  })
}

function cellsOf(text: string): string[] {
  return text.split('|').map((cell) => cell.trim())
}

let wallet: TestWallet

/**
 * An earlier call of the bet, with the time before and after it, because a refused call has no time
 * of its own.
 */
interface EarlierCall {
  column: Column
  from: Date
  to: Date
  answer: Answer
}

const preparing: Record<(typeof pasts)[Past][number], { column: Column; over?: Members }> = {
  place: { column: 'place' },
  'place of 5000': { column: 'place', over: { amount: 5000 } },
  settle: { column: 'settle' },
  cashout: { column: 'settle', over: cashout },
  unsettle: { column: 'unsettle' },
  rollback: { column: 'rollback' },
}

interface BetPast {
  past: Past
  scene: Scene
  seen: EarlierCall[]
}

async function liveThrough(past: Past): Promise<BetPast> {
  const scene = await newScene(wallet)
  const seen: EarlierCall[] = []
  for (const step of pasts[past]) {
    const { column, over = {} } = preparing[step]
    const token = step === 'cashout' ? { token: scene.token } : {}
    wallet.clock.advance(1_000)
    const from = wallet.clock.now()
    const answer = await deliver(scene, column, { ...over, ...token })
    expect(answered(answer), `${past}: ${step}`).toBe(past === 'refused' ? 7 : 200)
    seen.push({ column, from, to: wallet.clock.now(), answer })
  }
  return { past, scene, seen }
}

/** The call of a cell; undefined when the cell repeats a call that was never sent. */
async function messageOf(scene: Scene, call: Call, way: Way): Promise<Members | undefined> {
  const column = columnOf(call)
  const over = typeof way.with === 'function' ? await way.with(scene) : way.with
  const earlier = way.resent ? column : way.bytesOf
  if (earlier) return scene.sent[earlier] && { ...scene.sent[earlier].message, ...over }
  const plain = call === 'cashout' ? { ...cashout, token: await wallet.operator.session(scene.userId) } : {}
  return callOf(scene, column, { ...plain, ...over })
}

async function lookAt(scene: Scene) {
  const [balance, { status, body }] = [await balanceOf(scene), await betView(scene)]
  const state = status === 404 || member(body, 'status') === 'unknown' ? 'nothing' : member(body, 'status')
  return { balance, state: state === 'settled' ? member(body, 'resultType') : state }
}

/** Sends the call of a cell; resolves to its outcome in the grid's notation. */
async function happening({ past, scene, seen }: BetPast, call: Call, way: Way): Promise<string> {
  if (way.locked && past === 'nothing') return unlockable(scene)
  if (way.locked) await locked(scene)
  await way.meanwhile?.(scene)
  const message = await messageOf(scene, call, way)
  if (message === undefined) return 'unsent'
  const before = await lookAt(scene)
  wallet.clock.advance(1_000)
  const arrival = wallet.clock.now()
  const answer = await sendCall(scene, columnOf(call), message)
  expectAnswer(answer, answer.status === 200 ? 200 : Number(answered(answer)), scene.betId)
  const after = await lookAt(scene)
  const effect = [...moved(before.balance, after.balance), ...(after.state === before.state ? [] : [after.state])]
  const head = headOf(answer, seen, arrival)
  const words = head === '200' && effect.length > 0 ? effect : [head, ...effect]
  return words.join(' ') + ((await anomaliesOf(scene)) ? '!' : '')
}

function moved(from: string, to: string): string[] {
  const difference = millionths(to) - millionths(from)
  if (difference === 0n) return []
  const whole = difference % 1_000_000n === 0n ? difference / 1_000_000n : `${difference} millionths`
  return [`${difference > 0n ? '+' : ''}${whole}`]
}

async function unlockable({ userId, betId }: Scene): Promise<string> {
  const { status } = await wallet.operator.request('PUT', `/operator/players/${userId}/bets/${betId}/lock`)
  return status === 404 ? 'unknown' : `a lock on nothing answers ${status}`
}

/**
 * The time of an answer: a new effect has a time from now on, a repeat the time of the
 * original.
 */
function headOf(answer: Answer, seen: EarlierCall[], arrival: Date): string {
  if (answer.status !== 200) return String(answered(answer))
  const time = timeOf(answer)
  if (new Date(time) >= arrival) return '200'
  const original = seen.find((one) =>
    one.answer.status === 200 ? timeOf(one.answer) === time : one.from <= new Date(time) && new Date(time) <= one.to,
  )
  return original ? `=${original.column}` : `200 with the time of nothing, ${time}`
}

interface Run {
  policy?: 0 | 1
  of?: Past[]
  /**
   * Milliseconds between the past and the call. They are equal for all players, because the wallet
   * has one clock.
   */
  pause?: number
  /** Runs after the pause. */
  between?: (wallet: TestWallet) => Promise<void>
}

/** Runs all pasts of a line at once, with a player each. */
export async function expectLine({ call, line }: (typeof lines)[number], ways: Way[], run: Run): Promise<void> {
  const { policy = 0, of = pastNames, pause = 0, between } = run
  const expected = of.map((past) => [past, line[past].split('/')[policy] ?? line[past]])
  for (const way of ways) {
    const lived = await Promise.all(of.map(liveThrough))
    wallet.clock.advance(pause)
    await between?.(wallet)
    const happened = await Promise.all(lived.map(async (life) => [life.past, await happening(life, call, way)]))
    expect(Object.fromEntries(happened)).toEqual(Object.fromEntries(expected))
  }
}

/** `since`: the clock starts this number of milliseconds before now. */
export function walletWith(env: Record<string, string>, since = 0): void {
  beforeAll(async () => {
    wallet = await startWallet({ env })
    wallet.clock.advance(-since)
  })
  afterEach(() => wallet.auditIsClean())
  afterAll(() => wallet.stop())
}

export const lines = calls.flatMap((call) => linesOf(call).map(([name, line]) => ({ call, name, line })))
export const waysOf = (name: string) => variants[name]?.ways ?? []
