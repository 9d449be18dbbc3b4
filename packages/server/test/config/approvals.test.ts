import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { expect, test } from 'vitest'
import { readApprovals } from '../../src/core/config/approvals.ts'

function coolingOff(text: string) {
  const problems: string[] = []
  const { coolingOff: read } = readApprovals(
    (name) => (name === 'PURSER_COOLING_OFF' ? text : ''),
    STANDARD_SCALES,
    problems,
  )
  return problems.length > 0 ? problems : read
}

test.each([
  ['none', 'none'],
  ['second-person', 'second-person'],
  ['1h', 1],
  ['24h', 24],
  ['8760h', 8_760],
])('PURSER_COOLING_OFF accepts the value %s', (text, read) => expect(coolingOff(text)).toBe(read))

test.each(['', '0h', '8761h', '24', '1d', '24H', '-1h', '1.5h', 'second person'])(
  'PURSER_COOLING_OFF refuses %o and names the choices',
  (text) =>
    expect(coolingOff(text)).toEqual([
      `PURSER_COOLING_OFF must be none, second-person or hours from 1h to 8760h, not "${text}"`,
    ]),
)
