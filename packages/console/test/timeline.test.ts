/**
 * The timeline of a bet shows recorded histories of a real platform and wallet in order. The
 * histories contain lost, late and overtaken calls, and a corrected result.
 */
import { readFileSync } from 'node:fs'
import { renderBetExport, renderPictureFile } from '@purser/timeline/bet-export'
import { buildBetHistory, netAmountOf, netSoFar } from '@purser/timeline/bet-history'
import type { BetSources, PlatformBetDetail, WalletBetDetail, WalletCallView } from '@purser/timeline/bet-sources'
import { describeStanding } from '@purser/timeline/bet-standing'
import { toMarkup } from '@purser/timeline/drawing/svg'
import { drawTimeline } from '@purser/timeline/drawing/timeline-drawing'
import type { TimelineCall } from '@purser/timeline/drawing/timeline-moments'
import { describeMoment } from '@purser/timeline/moment-text'
import { describePayoutCounts, describeStakeCounts, toPayoutHistory } from '@purser/timeline/payout-history'
import { describe, expect, test } from 'vitest'
import { read } from '../../../test/tidy/source.ts'

type RecordedBet = Required<BetSources> & { wallet: WalletBetDetail; platform: PlatformBetDetail }
const recorded = (name: string): RecordedBet =>
  JSON.parse(readFileSync(new URL(`histories/${name}.json`, import.meta.url), 'utf8'))
const describeMoments = (sources: BetSources) => buildBetHistory(sources).moments.map(describeMoment)
const withoutTimes = (lines: string[]) => lines.map((line) => line.replace(/(,| after) [<\d.]+ m?s\b/, ''))
const picture = (sources: BetSources, scale: 'compact' | 'time' = 'compact') =>
  toMarkup(drawTimeline(buildBetHistory(sources), { scale }))

describe('a bet history shows in order what happened:', () => {
  test('an answer was lost', () => {
    expect(withoutTimes(describeMoments(recorded('lost-answer')))).toEqual([
      'Platform: Bet requested, 10.00 EUR',
      'Place bet, attempt 1: connection lost, stake −10.00',
      'Platform: Bet cancelled, because the Place bet call got no valid response (reason 52)',
      'Rollback, attempt 1: accepted, 200, refund +10.00',
    ])
  })
  test('a Rollback overtook its Place bet, and nothing moved', () => {
    const { moments } = buildBetHistory(recorded('late-call'))
    const calls = moments.filter((one): one is TimelineCall => one.kind === 'call')
    expect(calls.map(({ operation, ending }) => [operation, ending])).toEqual([
      ['place', 'unanswered'],
      ['rollback', 'accepted'],
    ])
    expect(calls.flatMap(({ transfers }) => transfers)).toEqual([])
    expect(picture(recorded('late-call'))).toContain('no change of the balance')
  })
  test('it does not say that nothing moved when the wallet is unknown', () => {
    const { platform } = recorded('corrected')
    const drawn = picture({ ...(platform && { platform }) })
    expect(drawn).toContain('only the wallet has the transfers')
    expect(drawn).not.toContain('no change of the balance')
  })
  test('a call came twice, and a corrected result took the first payout back', () => {
    expect(withoutTimes(describeMoments(recorded('corrected')))).toEqual([
      'Platform: Bet requested, 10.00 EUR',
      'Place bet, attempt 1: accepted, 200, stake −10.00',
      'Place bet, a copy: repeated, 200',
      'Platform: Result, won 27.70 EUR',
      'Settle, attempt 1: accepted, 200, stake → house 0.00, payout +27.70',
      'Platform: Result, lost',
      'Settle, attempt 1: accepted, 200, payout reversal −27.70',
    ])
  })
  test('the calls of the wallet have their phases when no platform is known', () => {
    const { wallet, journal } = recorded('corrected')
    const { moments } = buildBetHistory({ wallet, journal })
    expect(moments.map((one) => one.kind)).toEqual(['call', 'call', 'call', 'call'])
    expect(moments.every((one) => one.kind === 'call' && one.durationMs > 0 && one.journal !== undefined)).toBe(true)
  })
  test('a call that the platform lost in a crash appears once, from the wallet, at its position', () => {
    const { wallet, platform, journal } = recorded('lost-answer')
    const [place, ...others] = platform.deliveries
    if (place === undefined) throw new Error('no deliveries')
    const died = { ...platform, deliveries: [{ ...place, attempts: 0, attemptList: [] }, ...others] }
    for (const sources of [
      { wallet, platform: died, journal },
      { wallet, platform: died },
    ])
      expect(withoutTimes(describeMoments(sources))).toEqual([
        'Platform: Bet requested, 10.00 EUR',
        'Place bet, attempt 1: accepted, 200, stake −10.00',
        'Platform: Bet cancelled, because the Place bet call got no valid response (reason 52)',
        'Rollback, attempt 1: accepted, 200, refund +10.00',
      ])
  })
  test('a call before the first recorded attempt is no copy of another', () => {
    const { wallet, platform } = recorded('corrected')
    const [place, ...others] = platform.deliveries
    const [made] = place?.attemptList ?? []
    const [, again] = wallet.history
    if (place === undefined || made === undefined || again === undefined) throw new Error('no attempts')
    const later = new Date(Date.parse(again.at) + 2_000).toISOString()
    const deliveries = [{ ...place, attemptList: [{ ...made, number: 2, startedAt: later }] }, ...others]
    const history = wallet.history.map((call) => (call === again ? { ...call, at: later } : call))
    const sources = { wallet: { ...wallet, history }, platform: { ...platform, deliveries } }
    expect(withoutTimes(describeMoments(sources)).slice(0, 3)).toEqual([
      'Platform: Bet requested, 10.00 EUR',
      'Place bet, attempt 1: accepted, 200, stake −10.00',
      'Place bet, attempt 2: repeated, 200',
    ])
  })
  test('a call that a person sent by hand appears, and each event has a unique id', () => {
    const { wallet, platform, journal } = recorded('corrected')
    const byHand = (entry: WalletCallView): WalletCallView => ({ ...entry, requestId: `by-hand-${entry.requestId}` })
    const history = wallet.history.map((entry) => (entry.operation === 'settle' ? byHand(entry) : entry))
    const { moments } = buildBetHistory({ wallet: { ...wallet, history }, platform, journal })
    const moved = moments.flatMap((one) => (one.kind === 'call' ? one.transfers.map(({ amount }) => amount) : []))
    expect(moved).toEqual(['-10.00', '0.00', '27.70', '-27.70'])
    expect(new Set(moments.map(({ id }) => id)).size).toBe(moments.length)
  })
  test('the net amount is what the wallet moved, whatever is drawn', () => {
    expect(netAmountOf(recorded('corrected').wallet)).toBe('-10.00')
    expect(netAmountOf(recorded('lost-answer').wallet)).toBe('0.00')
    expect(netAmountOf(recorded('late-call').wallet)).toBeUndefined()
  })
  test('an open stake is not lost', () => {
    const { wallet } = recorded('corrected')
    const open = { ...wallet, status: 'open' as const, history: wallet.history.slice(0, 2) }
    expect(netSoFar(open)).toEqual({ net: '0.00', inPlay: '10.00' })
    expect(netSoFar(wallet)).toEqual({ net: '-10.00' })
    expect(netSoFar({ ...open, stakePaidBy: 'promotions' })).toEqual({ net: '-10.00' })
    expect(netSoFar(recorded('late-call').wallet)).toBeUndefined()
  })
  test('it counts the payouts and the reversals', () => {
    const { wallet } = recorded('corrected')
    expect(describePayoutCounts(toPayoutHistory(wallet))).toBe('paid once, taken back once')
    expect(describePayoutCounts(toPayoutHistory({ ...wallet, history: wallet.history.slice(0, 3) }))).toBe('paid once')
    expect(describePayoutCounts(toPayoutHistory({ ...wallet, history: wallet.history.slice(0, 2) }))).toBeUndefined()
  })
  test('it counts the stakes and the refunds', () => {
    const { wallet } = recorded('lost-answer')
    expect(describeStakeCounts(wallet)).toBe('taken once, refunded once')
    expect(describeStakeCounts(recorded('corrected').wallet)).toBe('taken once')
    expect(describeStakeCounts(recorded('late-call').wallet), 'refused').toBeUndefined()
  })
  test('it has no sum for a bet whose first transfers are archived (O-13)', () => {
    const { wallet } = recorded('corrected')
    const [first, ...others] = wallet.history
    const archived = { ...(first as WalletCallView), transfers: [], archived: [{ transferId: 'EUR-2' }] }
    const bet = { ...wallet, history: [archived, ...others] }
    expect([
      netAmountOf(bet),
      netSoFar(bet),
      describePayoutCounts(toPayoutHistory(bet)),
      describeStakeCounts(bet),
    ]).toEqual(Array(4).fill(undefined))
  })
  test('it shows no movement of money when only the platform is known', () => {
    const { platform } = recorded('lost-answer')
    expect(buildBetHistory({ platform }).moments.flatMap((one) => (one.kind === 'call' ? one.transfers : []))).toEqual(
      [],
    )
  })
})

describe('the picture of a bet history', () => {
  const names = ['lost-answer', 'late-answer', 'late-call', 'corrected']
  test.each(names)('of "%s" is reproducible and has every event once, on both scales', (name) => {
    for (const scale of ['compact', 'time'] as const) {
      const drawn = picture(recorded(name), scale)
      expect(drawn).toBe(picture(recorded(name), scale))
      const ids = [...drawn.matchAll(/data-moment="([^"]+)"/g)].map(([, id]) => id)
      expect(ids).toEqual(buildBetHistory(recorded(name)).moments.map(({ id }) => id))
      expect(drawn).not.toMatch(/NaN|undefined|Infinity/)
    }
  })
  test('shows the balance before and after each transfer', () => {
    const drawn = picture(recorded('corrected'))
    expect([...drawn.matchAll(/class="tl-value[^"]*"[^>]*>([^<]+)</g)].map(([, text]) => text)).toEqual([
      '500.00',
      '490.00',
      '517.70',
      '490.00',
    ])
  })
  test('marks other movements of the balance between two calls, and leaves the rest unchanged', () => {
    const { wallet, platform, journal } = recorded('corrected')
    const [place, again, won, lost] = wallet.history
    if (!(place && again && won && lost)) throw new Error('no calls')
    const moved = (call: WalletCallView, by: number, at = call.at): WalletCallView => ({
      ...call,
      transfers: call.transfers.map((one) => ({ ...one, balance: (Number(one.balance) + by).toFixed(2), at })),
    })
    const bet = (...history: WalletCallView[]) => picture({ wallet: { ...wallet, history }, platform, journal })
    expect(bet(...wallet.history)).not.toContain('tl-others')
    const mixed = bet(place, again, moved(won, -20), moved(lost, 5))
    expect([...mixed.matchAll(/<title>(Other transfers[^<]*)</g)].map(([, text]) => text)).toEqual([
      'Other transfers of this player in between: −20.00 EUR',
      'Other transfers of this player in between: +25.00 EUR',
    ])
    expect(mixed.match(/>others [+−]\d+\.00</g)).toEqual(['>others −20.00<', '>others +25.00<'])
    const [, solid = ''] = /class="tl-step" d="([^"]+)"/.exec(mixed) ?? []
    expect(solid.match(/M/g), 'the line is broken where the dots are').toHaveLength(3)
    const overtaken = bet(place, again, moved(won, -20, '2000-01-01T00:00:00.000Z'), lost)
    expect(overtaken, 'calls that the wallet took in another order are no other bets').not.toContain('others −20.00')
  })
  test('draws planned calls dashed, and exhausted ones with a cross', () => {
    const { wallet, platform } = recorded('corrected')
    const [place, settle] = platform?.deliveries ?? []
    if (place === undefined || settle === undefined || platform === undefined) throw new Error('no deliveries')
    const waiting = { ...settle, status: 'pending' as const, dueAt: '2027-01-01T00:00:00.000Z', attemptList: [] }
    const pending = picture({ wallet, platform: { ...platform, deliveries: [place, waiting] } })
    expect(pending).toContain('tl-call tl-pending')
    expect(pending).toContain('tl-step tl-dashed')
    const stuck = picture({ wallet, platform: { ...platform, deliveries: [place, { ...settle, status: 'stuck' }] } })
    expect(stuck).toContain('exhausted: needs attention')
  })
})

test('the shared file of a bet runs nothing, loads nothing, and keeps text of callers as text', () => {
  const sources = recorded('lost-answer')
  const evil = '</style><script>alert(1)</script>"><img src=x onerror=alert(1)>'
  const wallet = { ...sources.wallet, userId: evil, transactionId: evil }
  const history = buildBetHistory({ ...sources, wallet })
  const standing = describeStanding(wallet, sources.platform)
  const file = renderBetExport({
    history,
    standing,
    css: read('packages/timeline/src/drawing/timeline.css'),
    madeAt: new Date(0),
  })
  expect(file).not.toMatch(/<script|<img|<link|javascript:|url\(|@import/i)
  expect(file).toContain("default-src 'none'")
  expect(file).toContain('&lt;/style&gt;&lt;script&gt;')
  expect(file.match(/<\/style>/g)).toHaveLength(1)
})

test('the exported picture is an image with its own colours, light and dark, and loads nothing', () => {
  const history = buildBetHistory(recorded('lost-answer'))
  const file = renderPictureFile(history, read('packages/timeline/src/drawing/timeline.css'), 'a "lost" answer')
  expect(file).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img"[^>]*aria-label="a &quot;lost&quot; answer"/,
  )
  expect(file).toContain('prefers-color-scheme:dark')
  expect(file).not.toMatch(/<script|<image|url\(|@import|tabindex|href/i)
  for (const { id } of history.moments) expect(file).toContain(`data-moment="${id}"`)
})
