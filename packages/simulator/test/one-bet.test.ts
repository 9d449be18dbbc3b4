/**
 * Every history of one bet up to four steps obeys the rules. one-bet.long.test.ts has longer
 * histories and planted faults.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { replayHistory, searchHistories } from '../src/one-bet/history-search.ts'
import { formatHistory } from '../src/one-bet/one-bet-actions.ts'
import { PLANTED } from './planted.ts'

test.each(['refuse', 'allow-negative'] as const)(
  'every short history of one bet with clawback %s has the results of the decisions',
  (clawback) => {
    const { found, histories, met } = searchHistories({ length: 4, clawback })
    expect(found).toBe(undefined)
    expect(histories).toBeGreaterThan(20_000)
    const answers = ['200', '400/4', '400/5', '400/7', '400/8', '400/20']
    expect([...met.keys()].sort()).toEqual([...answers, ...(clawback === 'refuse' ? ['400/21'] : [])].sort())
  },
)

test('the search finds a planted fault in the fewest steps, and replays its history', () => {
  const planted = PLANTED.find(({ fault }) => fault === 'the lock of a bet is ignored')
  if (planted === undefined) throw new Error('the fault is not planted any more')
  const { found } = searchHistories({ length: 4, ...planted })
  expect(formatHistory(found?.history ?? [])).toBe('place; settle 25; (lock); settle 0')
  const { steps, complaint } = replayHistory(found?.history ?? [], planted)
  expect(steps.map(({ answer }) => answer)).toEqual(['200 of step 1', '200 of step 2', undefined, '200 of step 4'])
  expect([complaint, replayHistory(found?.history ?? [], { clawback: 'refuse' }).complaint]).toEqual([
    found?.complaint,
    undefined,
  ])
})

/** The output of the command about a file, and its exit code. */
function played(file: string, ...flags: string[]): Promise<[string, number]> {
  const args = ['packages/simulator/dist/main.js', '--history', file, ...flags]
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => resolve([stdout + stderr, Number(error?.code ?? 0)]))
  })
}

test('the simulator replays a bet that the console has saved next to its recorded answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'purser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const steps =
    '# The simulator does not know what came first.\nplace = 200\nsettle 25 = 200\n(money)\nsettle 0 = 400/21\n'
  const same = file('bet.history.txt', steps)
  const page = file('bet.html', `<p>Bet</p><pre id="replay">${steps}</pre><p>Player</p>`)
  const other = file('other.txt', steps.replace('400/21', '200'))
  const output = await played(same, '--clawback', 'refuse')
  expect(output).toEqual([
    [
      'clawback refuse:',
      '  1. place: answered 200 of step 1, balance 20',
      '  2. settle 25: answered 200 of step 2, balance 45',
      '  3. (money): balance 0',
      '  4. settle 0: answered 400/21, balance 0',
      '  as it must be\n',
    ].join('\n'),
    0,
  ])
  expect(await played(page, '--clawback', 'refuse')).toEqual(output)
  const [now, code] = await played(other, '--clawback', 'refuse')
  expect([now.includes('4. settle 0: answered 400/21, was 200 then'), code]).toEqual([true, 1])
  // The other policy gives this answer, and one of the two is the wallet's.
  expect((await played(other))[1]).toBe(0)
  const [says, wrong] = await played(file('a-picture.txt', 'a picture'))
  expect([says.includes('a file that the console has saved'), wrong]).toEqual([true, 2])
})
