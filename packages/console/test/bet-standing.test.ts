/**
 * The support sentence of a bet and the reason of each answer are right for recorded histories of a
 * real platform and wallet.
 */
import { readFileSync } from 'node:fs'
import { REMEMBERED_REFUSALS, REPLY_CODES, type ReplyCode, ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import type { BetSources, PlatformBetDetail, WalletBetDetail, WalletCallView } from '@purser/timeline/bet-sources'
import { describeStanding } from '@purser/timeline/bet-standing'
import { explainCall } from '@purser/timeline/call-explanation'
import { LIFE_TABLE, listStatesBefore } from '@purser/timeline/life-table'
import { describePlatformReason, describeRollbackReason } from '@purser/timeline/rollback-reasons'
import { describe, expect, test } from 'vitest'
import { read } from '../../../test/tidy/source.ts'

type RecordedBet = Required<BetSources> & { wallet: WalletBetDetail; platform: PlatformBetDetail }
const recorded = (name: string): RecordedBet =>
  JSON.parse(readFileSync(new URL(`histories/${name}.json`, import.meta.url), 'utf8'))

describe('the support sentence', () => {
  test.each([
    [
      'lost-answer',
      'Cancelled',
      'The bet was cancelled: the Place bet call got no valid response (reason 52). The stake of 10.00 EUR was refunded to the account at 2026-11-22 18:46:43 UTC.',
    ],
    [
      'late-call',
      'Cancelled',
      'The bet was cancelled before it was placed: the Place bet call got no response in time (reason 10). No money was taken.',
    ],
    ['corrected', 'Lost', 'robin staked 10.00 EUR. The bet lost. 27.70 EUR was paid first; all of it was taken back.'],
  ])('explains the recording "%s"', (name, state, sentence) => {
    const { wallet, platform } = recorded(name)
    expect(describeStanding(wallet, platform)).toMatchObject({ state, sentence })
  })
  test('says when a payout was made, and how a corrected one came about, once (L-1)', () => {
    const { wallet } = recorded('corrected')
    const [, , won, lost] = wallet.history
    if (won === undefined || lost === undefined) throw new Error('no results')
    const again = { ...won, at: lost.at, transfers: won.transfers.map((one) => ({ ...one, at: lost.at })) }
    const payout = { payout: '27.70', resultType: 'won' }
    const once = { ...wallet, ...payout, history: wallet.history.slice(0, 3) }
    expect(describeStanding(once, undefined).sentence).toBe(
      'robin staked 10.00 EUR. The bet won: 27.70 EUR was paid to the account at 2026-11-22 18:46:55 UTC.',
    )
    const corrected = { ...wallet, ...payout, history: [...wallet.history, again] }
    expect(describeStanding(corrected, undefined).sentence).toBe(
      'robin staked 10.00 EUR. The bet won: 27.70 EUR was paid to the account at 2026-11-22 18:46:55 UTC. Paid 27.70, taken back 27.70 (result corrected), paid 27.70 again: the player has 27.70 EUR of it, once.',
    )
    const open = { ...wallet, status: 'open' as const }
    expect(describeStanding(open, undefined).sentence).toBe(
      'robin staked 10.00 EUR. The result is not known yet; the stake is held. 27.70 EUR was paid first; all of it was taken back.',
    )
  })
  test('says that a result was corrected when no money movement shows it: lost, withdrawn, won', () => {
    const { wallet, platform } = recorded('corrected')
    const [known, place, won] = wallet.history
    if (known === undefined || place === undefined || won === undefined) throw new Error('no results')
    const lost = { ...won, resultType: 'lost', amount: '0.00', transfers: [] }
    const withdrawn: WalletCallView = { ...lost, operation: 'unsettle' }
    const before = [known, place, lost, withdrawn]
    const open = { ...wallet, status: 'open' as const, history: before }
    expect(describeStanding(open, undefined).sentence).toBe(
      'robin staked 10.00 EUR. The result is not known yet; the stake is held. A result was withdrawn: the bet had lost.',
    )
    const again = { ...wallet, payout: '27.70', resultType: 'won', history: [...before, won] }
    expect(describeStanding(again, undefined).sentence).toBe(
      'robin staked 10.00 EUR. The bet won: 27.70 EUR was paid to the account at 2026-11-22 18:46:55 UTC. The result was corrected: the bet had lost before.',
    )
    const [placed, settled] = platform.deliveries
    if (placed === undefined || settled === undefined) throw new Error('no deliveries')
    const decided = (resultType: string) => ({ ...settled, request: { ...settled.request, resultType } })
    const deliveries = [placed, decided('lost'), { ...settled, operation: 'unsettle' as const }, decided('won')]
    expect(describeStanding(undefined, { ...platform, resultType: 'won', payout: '27.70', deliveries }).sentence).toBe(
      'Result: won, 27.70 EUR. The result was corrected: the bet had lost before.',
    )
    const cashedOut = { ...decided('cashout'), status: 'refused' as const }
    const never = { ...platform, resultType: 'won', payout: '27.70', deliveries: [placed, cashedOut, decided('won')] }
    expect(describeStanding(undefined, never).sentence, 'a refused cashout is no result').not.toContain('corrected')
  })
  test('names every reason of a Rollback, and keeps the number of an unknown one (C-2, C-3)', () => {
    for (const code of Object.keys(ROLLBACK_REASONS))
      expect(describeRollbackReason(Number(code))).toMatch(new RegExp(`^[a-z][a-zA-Z ]+ \\(reason ${code}\\)$`))
    expect(describeRollbackReason(77)).toBe('reason 77')
    expect(['rollback 9', 'partner code 7', 'partner code 77', 'event ended'].map(describePlatformReason)).toEqual([
      'the event was over (reason 9)',
      'not enough money (7)',
      'code 77',
      'event ended',
    ])
  })
  test('says where a stake of promotions is, and that no money of the player moved (M-4)', () => {
    const { wallet } = recorded('lost-answer')
    const transfers = (call: WalletCallView) => call.transfers.map((one) => ({ ...one, amount: '0.00' }))
    const history = wallet.history.map((call) => ({ ...call, transfers: transfers(call) }))
    const freebet = { ...wallet, stake: '7.00', stakePaidBy: 'promotions' as const, history }
    expect(describeStanding(freebet, undefined).sentence).toBe(
      'The bet was cancelled: the Place bet call got no valid response (reason 52). The stake of 7.00 EUR was refunded to promotions; the balance of the player did not change.',
    )
    const refunded = { ...freebet, status: 'settled' as const, payout: '7.00', resultType: 'refund' }
    expect(describeStanding(refunded, undefined).state).toBe('Void')
    expect(describeStanding(refunded, undefined).sentence).toBe(
      'Promotions paid a stake of 7.00 EUR. The bet is void: 7.00 EUR was refunded to promotions; the balance of the player did not change.',
    )
    const { history: withMoney } = recorded('corrected').wallet
    expect(describeStanding({ ...refunded, history: withMoney }, undefined).sentence).not.toContain('did not change')
  })
  test.each(REMEMBERED_REFUSALS.map((name) => [name, REPLY_CODES[name].code]))(
    'has a text for a bet that was declined for good with %s (I-3)',
    (_, refusalCode) => {
      const { wallet } = recorded('late-call')
      const { sentence } = describeStanding({ ...wallet, status: 'refused', refusalCode }, undefined)
      expect(sentence).toMatch(/^The bet was declined, because [a-z -]+\. No money was taken\.$/)
    },
  )
  test('gives the requested amount of a declined bet, and the lower available amount where it is known', () => {
    const { wallet } = recorded('corrected')
    const [place] = wallet.history
    if (place === undefined) throw new Error('no Place bet')
    const refusedWith = (code: number, amount: string): WalletBetDetail => {
      const { stake: _, ...rest } = wallet
      const before: WalletCallView = { ...place, outcome: 'refused', code: 2, amount: '1.00' }
      const history = [before, { ...before, code, amount }, { ...before, code, amount: '3.00' }]
      return { ...rest, status: 'refused', refusalCode: code, history }
    }
    const said = (bet: WalletBetDetail, available?: string) => describeStanding(bet, undefined, available).sentence
    const short = refusedWith(7, '100000.00')
    expect(said(short, '932.12')).toBe(
      'The bet of 100,000.00 EUR was declined, because there was not enough money: 932.12 EUR was available. No money was taken.',
    )
    for (const available of [undefined, '100000.00'])
      expect(said(short, available)).toBe(
        'The bet of 100,000.00 EUR was declined, because there was not enough money. No money was taken.',
      )
    expect(said(refusedWith(9, '20.00'))).toBe(
      'The bet of 20.00 EUR was declined, because the account is blocked. No money was taken.',
    )
    const declined = { ...recorded('corrected').platform, status: 'declined', reason: 'partner code 7' }
    expect(describeStanding(undefined, declined).sentence).toBe(
      'The bet of 10.00 EUR was declined: not enough money (7).',
    )
  })
  test('distinguishes a time-out from an exclusion (R-3)', () => {
    const { wallet } = recorded('late-call')
    const saidOf = (name: ReplyCode) =>
      describeStanding({ ...wallet, status: 'refused', refusalCode: REPLY_CODES[name].code }, undefined).sentence
    expect(saidOf('self_excluded')).toContain('the player is self-excluded')
    expect(saidOf('timed_out')).toContain('the wallet returned code 10')
  })
  test('says that the wallet has not received a decision yet', () => {
    const { wallet, platform } = recorded('corrected')
    const deliveries = platform?.deliveries.map((one) => ({ ...one, status: 'pending' as const })) ?? []
    expect(platform && describeStanding(wallet, { ...platform, deliveries }).sentence).toContain(
      'has not acknowledged the next decision',
    )
  })
  test('says that the wallet has refused a later decision', () => {
    const { wallet, platform } = recorded('corrected')
    if (platform === undefined) throw new Error('no platform')
    const deliveries = platform.deliveries.map((one) => ({ ...one, status: 'refused' as const }))
    const { tone, sentence } = describeStanding(wallet, { ...platform, deliveries })
    expect([tone, sentence]).toEqual(['bad', expect.stringContaining('rejected the change. Resolve this by hand.')])
  })
})

describe('the reason of an answer', () => {
  test('is the table of decisions.md, word for word', () => {
    const [, table = ''] = read('docs/reference/decisions.md').split('## The life of a bet')
    const rows = table.split('\n').filter((line) => /^\| (nothing|open|settled|cancelled|refused) \|/.test(line))
    const plain = (cell: string) => cell.replaceAll('**', '').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    const written = rows.map((row) =>
      plain(row)
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    const known = Object.entries(LIFE_TABLE).map(([state, row]) => [
      state,
      row.place,
      row.settle,
      row.unsettle,
      row.rollback,
    ])
    expect(known).toEqual(written)
  })
  test('follows the bet from call to call', () => {
    expect(listStatesBefore(recorded('corrected').wallet.history)).toEqual(['nothing', 'open', 'open', 'settled'])
    expect(listStatesBefore(recorded('late-call').wallet.history)).toEqual(['nothing', 'cancelled'])
  })
  test('names the branch that was taken, with the amounts, and nothing that was not done', () => {
    const { wallet } = recorded('corrected')
    const [place, again, won, lost] = wallet.history
    if (!(place && again && won && lost)) throw new Error('no calls')
    const of = (...history: WalletCallView[]) => ({ ...wallet, history })
    const refused = (call: WalletCallView, code: number) => ({
      ...call,
      outcome: 'refused' as const,
      code,
      transfers: [],
    })
    const said = wallet.history.map((_, i) => explainCall(wallet, i))
    expect(said).toEqual([
      'The bet was new and valid: the stake of 10.00 EUR was taken once.',
      'The call repeats the bet: the response is the same, and no money was taken.',
      'This is the first result of an open bet. Its payout is paid once.',
      'Another result: 27.70 EUR was taken back, and nothing paid, in one step.',
    ])
    expect(explainCall(of(refused(place, 7)), 0, '2.40')).toBe(
      'Declined (code 7): the stake was 10.00 EUR, but only 2.40 EUR was available. No money was taken.',
    )
    expect(explainCall(of(refused(place, 7)), 0)).toBe(
      'Declined (code 7): the stake was 10.00 EUR, but less was available. No money was taken.',
    )
    expect(explainCall(of(refused(place, 7)), 0, '10.00'), 'what was there later').toContain('less was available')
    expect(explainCall(of(place, won, refused(lost, 21)), 2, '2.40')).toBe(
      'Rejected (code 21): 27.70 EUR had to be taken back, but only 2.40 EUR was available. No money moved.',
    )
    const { amount: _, currency: __, ...rest } = lost
    const unsettle = refused({ ...rest, operation: 'unsettle' }, 21)
    expect(explainCall(of(place, won, unsettle), 2, '2.40')).toBe(
      'Rejected (code 21): 27.70 EUR had to be taken back, but only 2.40 EUR was available. No money moved.',
    )
    const smaller = refused({ ...lost, amount: '20.00' }, 21)
    expect(explainCall(of(place, won, smaller), 2)).toBe(
      'Rejected (code 21): 7.70 EUR had to be taken back, but less was available. No money moved.',
    )
    expect(explainCall(of(refused(place, 9)), 0)).toContain('because the account is blocked. No money was taken')
    expect(explainCall(of(refused(place, 3)), 0)).toBe('Declined with code 3 (Invalid token). No money was taken.')
    expect(explainCall(of(refused(won, 5)), 0)).toContain('The wallet has no bet with this ID')
    expect(explainCall(of(place, won, refused(lost, 20)), 2)).toContain('the result is final')
  })
  test('says which refusals the wallet keeps (I-3), and that others leave nothing', () => {
    const [call] = recorded('corrected').wallet.history
    if (call === undefined) throw new Error('no call')
    const remembers = (name: ReplyCode) =>
      listStatesBefore([{ ...call, outcome: 'refused', code: REPLY_CODES[name].code }, call])[1] === 'refused'
    const names = Object.keys(REPLY_CODES) as ReplyCode[]
    expect(names.filter(remembers).sort()).toEqual([...REMEMBERED_REFUSALS].sort())
  })
})
