/**
 * The sandbox reports that it cannot keep the requested rate when many calls hang for 5 s. It needs
 * ten seconds to notice.
 */
import { expect, test } from 'vitest'
import { run } from '../cli/command.ts'

test('the sandbox reports every ten seconds that it cannot keep the rate', async () => {
  const args = ['sandbox', '--rate', '200', '--faults', '0.3', '--seed', '1', '--duration', '11', '--quiet']
  const { stdout } = await run(args, { PURSER_DATA_DIR: 'memory://', PORT: '0' })
  expect(stdout.replaceAll('\n', ' ')).toMatch(
    /the rate of 200 bets a second cannot be reached: [\d.]+ a second in the last 10 s, because 64 bets were still being placed/,
  )
}, 300_000)
