/**
 * The conformance kit accepts a file of players, loses no player by one fault of the wallet, and
 * leaves their money unchanged.
 */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceReport } from '@purser/conformance/reports/conformance-report'
import { WALLET_CASES } from '@purser/conformance/wallet/cases/wallet-cases'
import { runWalletKit } from '@purser/conformance/wallet/play/wallet-kit-run'
import { parseFixturesFile } from '@purser/conformance/wallet/players/fixtures-file'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf } from '../../../../test/docs/markdown.ts'
import { read } from '../../../../test/tidy/source.ts'
import { frontOf } from '../../../conformance/test/faulty-proxy.ts'
import type { MutantId } from '../../../conformance/test/mutants/mutants.ts'
import { type RunningWallet, startTestWallet } from '../../../conformance/test/mutants/wallet.ts'
import { runCommand } from '../../../conformance/test/run-command.ts'
import { type OperatorClient, operatorClient, playerWithMoney } from '../support/operator.ts'
import { startWallet } from '../support/wallet.ts'

const START = '2500.00'

async function twoPlayers(operator: OperatorClient) {
  const players = [await playerWithMoney(operator, START), await playerWithMoney(operator, START)]
  const listed = players.map(({ userId, token }) => ({ userId, token, balance: START }))
  return { userIds: players.map(({ userId }) => userId), file: { currency: 'EUR', players: listed } }
}

function verdictsOf({ results }: ConformanceReport): Record<'failed' | 'lost', string[]> {
  const failed = results.filter(({ verdict }) => verdict.kind === 'failed')
  const lost = results.filter(
    ({ verdict }) => verdict.kind === 'not judged' && verdict.why.startsWith('no player is left'),
  )
  return { failed: failed.map(({ id }) => id), lost: lost.map(({ id }) => id) }
}

/** Faults that leave an unexpected balance. */
const FAULTS: MutantId[] = ['rollback-repeat-refunds', 'rollback-refunds-the-amount-asked']
const GROUPS = ['place', 'rollback']

describe.each([false, true])('the kit with players of a file and probed balances (%s)', (isProbed) => {
  test.each(FAULTS)(
    'judges every case although the wallet has %s, and two players keep their balance',
    async (fault) => {
      const wallet = await startTestWallet({ fault })
      const front = await frontOf(wallet.url, isProbed ? { hides: '/user/balance' } : {})
      const operator = operatorClient(wallet.url, wallet.operatorKey)
      const { file, userIds } = await twoPlayers(operator)
      const report = await runWalletKit({
        ...{ baseUrl: front.url, secret: wallet.secret, fixtures: parseFixturesFile(JSON.stringify(file)) },
        cases: WALLET_CASES.filter(({ id }) => GROUPS.some((group) => id.startsWith(group))),
      })
      const balances = await Promise.all(userIds.map((userId) => operator.balance(userId)))
      await front.close()
      await wallet.close()
      const { failed, lost } = verdictsOf(report)
      expect(failed.length).toBeGreaterThan(0)
      expect(lost).toEqual([])
      expect(balances).toEqual([START, START])
    },
  )
})

test('the report says that a wallet which never gives money back uses up its players', async () => {
  const wallet = await startTestWallet({ fault: 'rollback-ignored' })
  const front = await frontOf(wallet.url, { hides: '/user/balance' })
  const { file } = await twoPlayers(operatorClient(wallet.url, wallet.operatorKey))
  const fixtures = parseFixturesFile(JSON.stringify(file))
  const report = await runWalletKit({ baseUrl: front.url, secret: wallet.secret, fixtures })
  await front.close()
  await wallet.close()
  expect(verdictsOf(report).lost.length).toBeGreaterThan(10)
})

describe('our own wallet, judged with a complete fixtures file,', () => {
  let own: Awaited<ReturnType<typeof startWallet>>
  beforeAll(async () => {
    own = await startWallet()
  })
  afterAll(() => own?.stop())

  /** One player of every kind in the guide. */
  async function fullFile() {
    const { operator } = own
    const make = async (over: Record<string, unknown> = {}, currency = 'EUR') => {
      const { userId, token } = await playerWithMoney(operator, START, currency, over)
      return { userId, token, currency, balance: START }
    }
    const patched = async (changes: object) => {
      const player = await make()
      await operator.patch(player.userId, changes)
      return player
    }
    const ended = async () => {
      const player = await make()
      await operator.request('DELETE', `/operator/players/${player.userId}/sessions`)
      return { ...player, expiredToken: player.token, token: await operator.session(player.userId) }
    }
    const switched = async () => {
      const player = await make()
      const token = await operator.switchCurrency(player.userId, 'USD')
      await operator.deposit(player.userId, START, 'USD')
      return { ...player, token, currency: 'USD', oldToken: player.token, oldCurrency: 'EUR' }
    }
    return {
      ...{ currency: 'EUR', otherCurrency: 'USD', players: [await ended(), await make(), await make(), await make()] },
      blocked: await patched({ status: 'blocked' }),
      selfExcluded: await patched({ selfExcludedUntil: '2099-01-01T00:00:00Z' }),
      unverified: await patched({ verified: false }),
      underAge: await patched({ birthday: '2020-01-01' }),
      crypto: await make({}, 'BTC'),
      described: {
        ...(await make({ customFields: { userCountry: 'NO' } })),
        profile: { isTest: false, userCountry: 'NO' },
      },
      switched: await switched(),
    }
  }

  test('passes, only cases with an operator call are not judged, and all players have their money', async () => {
    const file = await fullFile()
    const fixtures = parseFixturesFile(JSON.stringify(file))
    // wallet-kit-run.long.test.ts runs the cases of ordinary players.
    const cases = WALLET_CASES.filter((one) => 'steps' in one && (one.player !== undefined || one.needs !== undefined))
    const report = await runWalletKit({ baseUrl: own.url, secret: own.secret, fixtures, cases })
    const unlike = report.results.filter(({ verdict }) => verdict.kind !== 'passed')
    expect(unlike.filter(({ verdict }) => verdict.kind === 'failed')).toEqual([])
    const needsOperator = WALLET_CASES.filter((one) => 'needs' in one && one.needs?.includes('operator'))
    expect(unlike.map(({ id }) => id)).toEqual(needsOperator.map(({ id }) => id))
    const { players, currency: _euro, otherCurrency: _dollar, ...special } = file
    for (const { userId, currency } of [...players, ...Object.values(special)])
      expect([userId, await own.operator.balance(userId, currency)]).toEqual([
        userId,
        expect.stringMatching(/^2500\.0+$/),
      ])
    await own.auditIsClean()
  })
})

describe('a fixtures file', () => {
  let folder: string
  let wallet: RunningWallet
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'purser-players-'))
    wallet = await startTestWallet()
  })
  afterAll(async () => {
    await wallet?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const ann = { userId: 'ann', token: 'a-token-of-ann', balance: '2000.00' }

  test.each([
    ['is no JSON', '{', 'not JSON'],
    [
      'spells a member wrongly',
      { currency: 'EUR', players: [{ ...ann, expiredTokn: 'x' }] },
      '/players/0/expiredTokn is unknown',
    ],
    ['lists a player twice', { currency: 'EUR', players: [ann], blocked: ann }, 'ann is in the fixtures twice'],
    ['has a poor player', { currency: 'EUR', players: [{ ...ann, balance: '999.99' }] }, 'at least 1000 EUR'],
    [
      'has cents of a cent',
      { currency: 'EUR', players: [{ ...ann, balance: '1000.001' }] },
      '"1000.001" is not an amount of EUR',
    ],
    ['has money of its own', { currency: 'PTS', players: [ann] }, 'the decimal places of PTS'],
  ])('is refused with the reason when it %s', async (_what, content, says) => {
    const fixtures = join(folder, 'players.json')
    writeFileSync(fixtures, typeof content === 'string' ? content : JSON.stringify(content))
    const { code, err } = await runCommand({ baseUrl: wallet.url, secret: wallet.secret, fixtures })
    expect([code, err]).toEqual([2, expect.stringContaining(says)])
  })

  test('as the guide shows it is accepted', () => {
    const guide = blocksOf(read('docs/guides/certify-your-wallet.md')).find(({ info }) => info === 'json')
    expect(parseFixturesFile(guide?.text ?? '').capacity).toBe(3)
  })

  test('may have a currency of its own when its scale is given', () => {
    const file = { currency: 'PTS', scales: { PTS: 2 }, players: [ann] }
    expect(parseFixturesFile(JSON.stringify(file)).capacity).toBe(1)
  })
})
