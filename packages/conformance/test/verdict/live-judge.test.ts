/** Verdicts on short histories: each rule, with the answers of the test. */
import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/verdict/live-verdict.ts'
import { placeBet, rollbackBet, settleBet, signRequest, unsettleBet } from './live-wallet.ts'
import { accept, createScriptedJudge, NO_ANSWER, refuse, reply, type ScriptedJudge } from './scripted-judge.ts'

const BET = 'bet-number-1'

/** 'right', or the kind with the cause. */
function shorten(verdicts: readonly Verdict[]): string[] {
  return verdicts.map(({ kind, cause }) => (cause === undefined ? kind : `${kind}: ${cause}`))
}

/** A bet of 10 that was accepted. */
function withBet(options: Parameters<typeof createScriptedJudge>[0] = {}): ScriptedJudge {
  const judge = createScriptedJudge(options)
  judge.play(placeBet(judge.live, judge.player, BET, '10'), accept())
  return judge
}

const place = ({ live, player }: ScriptedJudge, amount = '10', over = {}) => placeBet(live, player, BET, amount, over)
const settle = ({ live, player }: ScriptedJudge, amount: string, over = {}) =>
  settleBet(live, player, BET, amount, over)
const rollback = ({ live, player }: ScriptedJudge) => rollbackBet(live, player, BET, '10')
const unsettle = ({ live, player }: ScriptedJudge) => unsettleBet(live, player, BET, '10')

describe('the answer to a bet is', () => {
  test('right if it is accepted with enough money', () => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(place(judge), accept()))).toEqual(['right'])
  })
  test('wrong if the balance is below the stake, and no balance is ever read', () => {
    const judge = createScriptedJudge()
    const [verdict] = judge.play(place(judge, '100.01'), accept())
    expect(verdict).toMatchObject({ kind: 'wrong', caseId: 'place-03', whom: 'operator' })
    expect(verdict?.sentence).toContain('with a balance of 100.00 EUR')
  })
  test('undecided until the next balance, if balances are read', () => {
    const judge = createScriptedJudge()
    judge.read(10_000n)
    expect(shorten(judge.play(place(judge, '150'), accept()))).toEqual(['undecided: stake above the balance accepted'])
    expect(shorten(judge.read(-5_000n))).toEqual(['wrong: stake above the balance accepted'])
  })
  test('no fault if money was added meanwhile', () => {
    const judge = createScriptedJudge()
    judge.read(10_000n)
    judge.play(place(judge, '150'), accept())
    expect(shorten(judge.read(5_000n))).toEqual(['undecided: unexplained balance'])
  })
  test.each([
    ['a reached limit', 11, 'right'],
    ['a blocked player', 9, 'right'],
    ['too little money although it suffices', 7, 'wrong: sufficient money refused'],
    ['invalid data although the call is right', 5, 'wrong: right bet refused'],
    ['a bet that was processed although it is new', 8, 'wrong: right bet refused'],
    ['a token that is live', 4, 'undecided: live token refused'],
    ['a wrong signature although it is right', 1, 'wrong: signed call refused for its signature'],
    ['a failure of the wallet', 100, 'undecided'],
  ])('judged after a refusal for %s', (_, code, verdict) => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(place(judge), refuse(code)))).toEqual([verdict])
  })
  test('right if the stake is too large', () => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(place(judge, '100.01'), refuse(7)))).toEqual(['right'])
  })
  test('right for code 7 if the money arrived while the bet was in progress', () => {
    const judge = withBet({ balance: '10' })
    const endBet = judge.begin(placeBet(judge.live, judge.player, 'bet-number-2', '15'))
    judge.play(settle(judge, '20'), accept())
    expect(shorten(endBet(refuse(7)))).toEqual(['right'])
  })
  test('advice if a repeat is refused', () => {
    const judge = withBet()
    expect(shorten(judge.play(place(judge), refuse(8)))).toEqual(['advice: repeated bet refused'])
  })
  test('right for a dead token if it is refused, and wrong if it is accepted', () => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(place(judge), refuse(4), { deadToken: true }))).toEqual(['right'])
    expect(shorten(judge.play(place(judge), accept(), { deadToken: true }))).toEqual(['wrong: dead token accepted'])
  })
  test('wrong for a call that the service has not signed, if it is accepted', () => {
    const judge = createScriptedJudge()
    const forged = place(judge, '10', { secret: 'another secret' })
    expect(shorten(judge.play(forged, refuse(1)))).toEqual(['right'])
    expect(shorten(judge.play(forged, accept()))).toEqual(['wrong: unsigned bet accepted'])
  })
  test('advice for another currency if it is accepted, and right if it is refused', () => {
    const judge = createScriptedJudge()
    const bet = (id: string) => placeBet(judge.live, judge.player, `other-currency-${id}`, '10', { currency: 'USD' })
    expect(shorten(judge.play(bet('1'), refuse(5)))).toEqual(['right'])
    expect(shorten(judge.play(bet('2'), accept()))).toEqual(['advice: bet in another currency accepted'])
  })
  test('wrong for 10.0 if it is refused, by the reason of the refusal', () => {
    const judge = withBet()
    const bet = (id: string) => placeBet(judge.live, judge.player, `ten-point-zero-${id}`, '10.0')
    expect(shorten(judge.play(bet('1'), refuse(1)))).toEqual(['wrong: signature over re-written JSON'])
    expect(shorten(judge.play(bet('2'), refuse(5)))).toEqual(['wrong: amount 10.0 refused'])
  })
  test('right for a stake of 15 digits that is refused', () => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(place(judge, '1234567890123.45'), refuse(7)))).toEqual(['right'])
    expect(
      shorten(judge.play(placeBet(judge.live, judge.player, 'bet-number-2', '1234567890123.45'), refuse(5))),
    ).toEqual(['right'])
  })
  test('wrong after more than 5 s', () => {
    const judge = createScriptedJudge()
    const [verdict] = judge.play(place(judge), accept(), { durationMs: 6_012 })
    expect(verdict).toMatchObject({ kind: 'wrong', caseId: 'answers-10' })
    expect(verdict?.sentence).toContain('after 6012 ms')
  })
})

describe('the answer to a result is', () => {
  test('wrong if the result of an open bet is refused', () => {
    const judge = withBet()
    const [verdict] = judge.play(settle(judge, '20'), refuse(5))
    expect(verdict).toMatchObject({ kind: 'wrong', cause: 'result refused', caseId: 'settle-01', whom: 'player' })
    expect(verdict?.sentence).toContain('it had to be accepted, because the bet is open')
  })
  test('right for the repeat if it is accepted, and wrong if it is refused', () => {
    const judge = withBet()
    judge.play(settle(judge, '20'), accept())
    expect(shorten(judge.play(settle(judge, '20'), accept()))).toEqual(['right'])
    expect(shorten(judge.play(settle(judge, '20'), refuse(8)))).toEqual(['wrong: repeated result refused'])
  })
  test.each([
    ['accepted', accept(), 'right'],
    ['refused with 20', refuse(20), 'right'],
    ['refused with 21', refuse(21), 'right'],
    ['refused with 5', refuse(5), 'wrong: lower result refused with a wrong code'],
  ])('judged for a corrected result that is %s', (_, answer, verdict) => {
    const judge = withBet()
    judge.play(settle(judge, '20'), accept())
    expect(shorten(judge.play(settle(judge, '15'), answer))).toEqual([verdict])
  })
  test.each([
    ['a bet that was never placed', 'wrong: payout of an unknown bet', () => createScriptedJudge()],
    [
      'a bet that was rolled back',
      'wrong: settle after refund',
      () => {
        const judge = withBet()
        judge.play(rollback(judge), accept())
        return judge
      },
    ],
    [
      'a bet that was refused',
      'wrong: payout of a refused bet',
      () => {
        const judge = createScriptedJudge({ balance: '5' })
        judge.play(place(judge), refuse(7))
        return judge
      },
    ],
  ])('wrong for %s if it is accepted', (_, verdict, prepare) => {
    const judge = prepare()
    expect(shorten(judge.play(settle(judge, '20'), refuse(5)))).toEqual(['right'])
    expect(shorten(judge.play(settle(judge, '20'), accept()))).toEqual([verdict])
  })
  test('advice for the late copy of an old result, as soon as a balance shows that it was applied', () => {
    const judge = withBet()
    const old = settle(judge, '20')
    judge.play(old, accept())
    judge.play(settle(judge, '15'), accept())
    judge.read(10_500n)
    expect(shorten(judge.play(old, accept()))).toEqual(['right'])
    expect(shorten(judge.read(11_000n))).toEqual(['advice: late copy of an old result applied'])
  })
  test('wrong for a cashout with a dead token, if it is accepted', () => {
    const judge = withBet()
    const cashout = settle(judge, '5', { resultType: 'cashout' })
    expect(shorten(judge.play(cashout, accept(), { deadToken: true }))).toEqual(['wrong: cashout with a dead token'])
  })
})

describe('the answer to a Rollback is', () => {
  test.each([
    ['accepted', accept(), 'right'],
    ['code 8', refuse(8), 'right'],
    ['refused', refuse(5), 'wrong: Rollback of an unknown bet refused'],
  ])('judged for an unknown bet that is %s', (_, answer, verdict) => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(rollback(judge), answer))).toEqual([verdict])
  })
  test('right while its bet is in progress, in any order', () => {
    const judge = createScriptedJudge()
    const endPlace = judge.begin(place(judge))
    expect(shorten(judge.play(rollback(judge), accept()))).toEqual(['right'])
    expect(shorten(endPlace(accept()))).toEqual(['right'])
    expect(shorten(judge.read(10_000n))).toEqual([])
  })
  test('right after a bet without an answer, which takes effect later', () => {
    const judge = createScriptedJudge()
    judge.play(place(judge), NO_ANSWER)
    expect(shorten(judge.read(10_000n))).toEqual([])
    expect(shorten(judge.read(9_000n))).toEqual([])
    expect(shorten(judge.play(rollback(judge), accept()))).toEqual(['right'])
    expect(shorten(judge.read(10_000n))).toEqual([])
  })
  test('right after an Unsettle, which opens the bet again', () => {
    const judge = withBet()
    judge.play(settle(judge, '20'), accept())
    judge.play(unsettle(judge), accept())
    expect(shorten(judge.play(rollback(judge), accept()))).toEqual(['right'])
    expect(shorten(judge.read(10_000n))).toEqual([])
  })
})

describe('a wrong balance is explained by', () => {
  const cases: [fault: string, units: bigint, play: (judge: ScriptedJudge) => void][] = [
    ['double debit on repeat', 8_000n, (judge) => judge.play(place(judge), accept())],
    [
      'payout twice',
      13_000n,
      (judge) => {
        judge.play(settle(judge, '20'), accept())
        judge.play(settle(judge, '20'), accept())
      },
    ],
    [
      'resettle on top',
      12_500n,
      (judge) => {
        judge.play(settle(judge, '20'), accept())
        judge.play(settle(judge, '15'), accept())
      },
    ],
    [
      'refund twice',
      11_000n,
      (judge) => {
        judge.play(rollback(judge), accept())
        judge.play(rollback(judge), accept())
      },
    ],
    ['refund missing', 9_000n, (judge) => judge.play(rollback(judge), accept())],
    [
      'refund in addition to the payout',
      12_000n,
      (judge) => {
        judge.play(settle(judge, '20'), accept())
        judge.play(rollback(judge), accept())
      },
    ],
    [
      'debit after the Rollback',
      9_000n,
      (judge) => {
        judge.play(rollback(judge), accept())
        judge.play(place(judge), accept())
      },
    ],
    ['payout missing', 9_000n, (judge) => judge.play(settle(judge, '20'), accept())],
    ['single minor units lost', 8_999n, () => {}],
  ]
  test.each(cases)('%s, once', (fault, units, play) => {
    const judge = withBet()
    play(judge)
    const [verdict, ...others] = judge.read(units)
    expect(verdict).toMatchObject({
      kind: 'wrong',
      cause: fault,
      clause: expect.any(String),
      remedy: expect.any(String),
    })
    expect(others).toEqual([])
    expect(shorten(judge.read(units))).toEqual([])
  })
  test('a lost update of two bets at once', () => {
    const judge = createScriptedJudge()
    const ends = ['1', '2'].map((id) => judge.begin(placeBet(judge.live, judge.player, `bet-at-once-${id}`, '10')))
    for (const end of ends) end(accept())
    expect(shorten(judge.read(9_000n))).toEqual(['wrong: lost update of calls at once'])
  })
  test('a part of a lower result', () => {
    const judge = withBet()
    judge.play(settle(judge, '20'), accept())
    judge.play(placeBet(judge.live, judge.player, 'bet-number-2', '105'), accept())
    judge.read(500n)
    judge.play(settle(judge, '0'), accept())
    expect(shorten(judge.read(0n))).toEqual(['wrong: lower result taken in part'])
  })
  test('no call, if none fits', () => {
    const judge = withBet()
    const [verdict] = judge.read(12_345n)
    expect(verdict).toMatchObject({ call: 0, kind: 'undecided' })
    expect(verdict?.sentence).toContain('changed by +33.45 EUR')
  })
  test('a missing debit in the answer of a later bet, if no balance is read', () => {
    const judge = withBet()
    judge.play(place(judge), accept())
    const [verdict] = judge.play(placeBet(judge.live, judge.player, 'bet-number-2', '85'), refuse(7))
    expect(verdict).toMatchObject({ kind: 'wrong', cause: 'double debit on repeat' })
  })
})

describe('an answer of another server is explained:', () => {
  const HTML = '<!DOCTYPE html><html><body>Cannot POST /payment/bet</body></html>'
  test.each([
    ['404', reply(404, HTML, 'text/html'), 'wrong: no such path', 'Is a path prefix missing'],
    ['405', reply(405, ''), 'wrong: no such method', 'POST /payment/bet'],
    ['a redirect', reply(301, ''), 'wrong: redirect', 'a redirect is not followed'],
    ['403', reply(403, HTML, 'text/html'), 'wrong: access denied', '--header'],
    ['415', reply(415, ''), 'wrong: server error', 'application/json'],
    ['200 with a page', reply(200, HTML, 'text/html'), 'wrong: web page instead of JSON', 'another server'],
    ['200 without a body', reply(200, ''), 'wrong: answer without a JSON object', 'an empty body'],
    ['500', reply(500, 'Error: no such table'), 'undecided: server error', 'the log of the wallet'],
  ])('%s', (_, answer, verdict, words) => {
    const judge = createScriptedJudge()
    const verdicts = judge.play(place(judge), answer)
    expect(shorten(verdicts)).toEqual([verdict])
    expect(verdicts[0]?.sentence).toContain(words)
  })
  test('500 ten times is wrong', () => {
    const judge = createScriptedJudge()
    const verdicts = Array.from({ length: 10 }, () => judge.play(place(judge), reply(500, '')))
    expect(shorten(verdicts.flat()).slice(-2)).toEqual(['undecided: server error', 'wrong: server error'])
  })
  test('no answer is undecided', () => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(place(judge), NO_ANSWER))).toEqual(['undecided'])
  })
})

describe('the answer to a call that reads is', () => {
  const read = ({ live, player }: ScriptedJudge, path: string, token = player.token) => {
    const members = { token, userId: player.userId, currency: 'EUR', requestId: 'request-number-1' }
    return signRequest('POST', path, JSON.stringify(members), live.wallet.secret)
  }
  test('wrong for User data that names another player', () => {
    const judge = createScriptedJudge()
    const body = JSON.stringify({ userId: 'somebody-else', currency: 'EUR', currencies: ['EUR'] })
    expect(shorten(judge.play(read(judge, '/user/profile'), reply(200, body)))).toEqual([
      'wrong: User data of another form',
    ])
  })
  test('wrong for a balance of a floating-point number', () => {
    const judge = createScriptedJudge()
    const body = `{"userId":"${judge.player.userId}","currency":"EUR","amount":90.30000000000001}`
    expect(shorten(judge.play(read(judge, '/user/balance'), reply(200, body)))).toEqual(['wrong: floats'])
  })
  test('right for a wallet without Balance', () => {
    const judge = createScriptedJudge()
    expect(shorten(judge.play(read(judge, '/user/balance'), reply(404, '')))).toEqual(['right'])
  })
  test('a balance that is compared, if no other call is in progress', () => {
    const judge = withBet()
    const body = `{"userId":"${judge.player.userId}","currency":"EUR","amount":100.00}`
    expect(shorten(judge.play(read(judge, '/user/balance'), reply(200, body)))).toEqual([
      'right',
      'wrong: stake not debited',
    ])
    const end = judge.begin(settle(judge, '20'))
    expect(shorten(judge.play(read(judge, '/user/balance'), reply(200, body)))).toEqual(['right'])
    end(accept())
  })
})

test('the sum counts the last verdict of each call, and the dearest cause is first', () => {
  const judge = withBet()
  judge.play(place(judge), accept())
  judge.read(8_000n)
  judge.play(place(judge, '10', { secret: 'another secret' }), accept())
  const { calls, right, wrong, causes } = judge.live.judge.sum()
  expect({ calls, right, wrong }).toEqual({ calls: 3, right: 1, wrong: 2 })
  expect(causes.map(({ cause, count }) => `${count} ${cause}`)).toEqual([
    '1 unsigned bet accepted',
    '1 double debit on repeat',
  ])
})
