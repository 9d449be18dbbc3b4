/** `purser load` reports faults in its options or in its players file before its first call. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LoadFlags, parseLoadOptions, resolveStakes } from '@purser/conformance/load/load-options'
import { readPlayersFile } from '@purser/conformance/load/players-file'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { afterAll, describe, expect, test } from 'vitest'
import { newFolder } from '../cli/command.ts'

const folder = newFolder()
afterAll(() => folder.remove())

const good: LoadFlags = {
  ...{
    baseUrl: 'http://127.0.0.1:1',
    secret: 'shared',
    players: 'players.csv',
    rate: '100',
    duration: '60',
    mix: 'place=1',
  },
  ...{ stake: '1-5', zipf: '1', workers: '1', connections: '64', patience: '60' },
}

test('valid options are accepted, and a number of players creates players', async () => {
  const read = await parseLoadOptions(good, {})
  expect(read).toMatchObject({ secrets: ['shared'], players: { kind: 'file' }, durationMs: 60_000, stake: ['1', '5'] })
  const made = await parseLoadOptions({ ...good, players: '20' }, { OPERATOR_API_KEY: 'key' })
  expect(made.players).toEqual({ kind: 'made', count: 20, url: good.baseUrl, key: 'key' })
})

test('headers are sent unchanged, and an invalid or reserved header is rejected', async () => {
  const headersOf = async (...header: string[]) => (await parseLoadOptions({ ...good, header }, {})).headers
  expect(await headersOf('X-Api-Key: k: 1')).toEqual({ 'x-api-key': 'k: 1' })
  await expect(headersOf('no colon')).rejects.toThrow('--header')
  await expect(headersOf('X-Sign-JWS: mine')).rejects.toThrow('--header')
  await expect(headersOf('a: 1', 'A: 2')).rejects.toThrow('a is given twice')
})

test.each<[Partial<Record<keyof LoadFlags, string>>, string]>([
  [{ baseUrl: '' }, '--base-url'],
  [{ baseUrl: 'ftp://x' }, '--base-url'],
  [{ secret: '' }, '--secret'],
  [{ players: '0' }, '--players'],
  [{ players: '20' }, '--operator-key'],
  [{ rate: '0' }, '--rate'],
  [{ rate: '1.5' }, '--rate'],
  [{ duration: '-1' }, '--duration'],
  [{ mix: 'place' }, '--mix'],
  [{ stake: 'much' }, '--stake'],
  [{ zipf: '9' }, '--zipf'],
  [{ seed: 'x' }, '--seed'],
  [{ workers: '99' }, '--workers'],
  [{ workers: '8', connections: '4' }, '--connections'],
])('the options %j are a usage error', async (over, option) => {
  const failure = await parseLoadOptions({ ...good, ...over } as LoadFlags, {}).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UsageError)
  expect(String(failure)).toContain(option)
})

test('a stake must be an amount of the currency', () => {
  const yen = [{ userId: 'ann', token: 'x', currency: 'JPY', scale: 0 }]
  expect(resolveStakes(['1', '5'], yen).get('JPY')).toEqual({ least: 1n, most: 5n })
  for (const stake of [
    ['0.5', '5'],
    ['0', '5'],
    ['5', '1'],
  ] as const)
    expect(() => resolveStakes(stake, yen)).toThrow(UsageError)
})

describe('a file of players', () => {
  const read = (text: string) => {
    const path = join(folder.path, 'players.csv')
    writeFileSync(path, text)
    return readPlayersFile(path)
  }
  const token = 'a-token-of-somebody'

  test('has a line for each player, with the decimal places of a currency outside ISO 4217', async () => {
    expect(
      await read(`userId,token,currency,scale,operatorUser\nann,${token},EUR,,\nbob,${token},GOLD,3,bob.1\n`),
    ).toEqual([
      { userId: 'ann', token, currency: 'EUR', scale: 2 },
      { userId: 'bob', token, currency: 'GOLD', scale: 3, operatorUser: 'bob.1' },
    ])
  })

  test.each([
    ['nothing', '', 'lacks the columns'],
    ['no players', 'userId,token,currency\n', 'has no players'],
    ['a column that is missing', 'userId,currency\nann,EUR\n', 'lacks the columns token'],
    ['a column that nobody knows', `userId,token,currency,colour\nann,${token},EUR,red\n`, '"colour"'],
    ['a token that is none', 'userId,token,currency\nann,short,EUR\n', ':2: the token'],
    [
      'a currency that is not known',
      `userId,token,currency\nann,${token},GOLD\n`,
      ':2: the column scale must contain the decimal places',
    ],
    [
      'two scales of one currency',
      `userId,token,currency,scale\nann,${token},GOLD,3\nbob,${token},GOLD,2\n`,
      ':3: GOLD',
    ],
    ['a player twice', `userId,token,currency\nann,${token},EUR\nann,${token},EUR\n`, ':3: ann is listed twice'],
  ])('with %s is a usage error, and the error contains no token', async (_name, text, why) => {
    const failure = await read(text).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UsageError)
    expect(String(failure)).toContain(why)
    expect(String(failure)).not.toContain(token)
  })
})
