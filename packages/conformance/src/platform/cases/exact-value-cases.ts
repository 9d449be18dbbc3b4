/** Cases: the platform changes no amount, id or player. */
import type { PlatformCase, ScenarioAct, ScenarioExpectation } from '../platform-case.ts'
import { awaitCalls, expectAtLeast, expectCount, PLACE_ACT, settleAsWon } from './scenario-builders.ts'

const OWN_PLAYER: ScenarioExpectation = { kind: 'own_player' }
const placeWithStake = (amount: string): ScenarioAct => ({ kind: 'place', amount })
const expectInOrder = (placed: number, settled: number): ScenarioExpectation => ({
  kind: 'in_order',
  deliveries: [
    { call: 'place', amount: placed },
    { call: 'settle', amount: settled },
  ],
})

export const EXACT_VALUE_CASES: readonly PlatformCase[] = [
  {
    kind: 'scene',
    id: 'platform-exact-01',
    clause: 'Resources, amount',
    level: 'MUST',
    sentence: 'A stake of 0.29, which no binary fraction holds, is 0.29 in Place bet.',
    loses: 'One cent of every such stake is lost.',
    covers: ['P15'],
    acts: [placeWithStake('0.29'), settleAsWon('1.15'), awaitCalls('settle')],
    expect: [expectCount('place', 1), expectInOrder(0.29, 1.15)],
  },
  {
    kind: 'scene',
    id: 'platform-exact-02',
    clause: 'Resources, amount',
    level: 'MUST',
    sentence: 'A payout of 1234567.89 is exact to the cent in Settle.',
    loses: 'The cents of every large win are lost.',
    covers: ['P15'],
    acts: [PLACE_ACT, settleAsWon('1234567.89'), awaitCalls('settle')],
    expect: [expectAtLeast('settle', 1), expectInOrder(10, 1_234_567.89)],
  },
  {
    kind: 'scene',
    id: 'platform-exact-03',
    clause: 'Resources, amount',
    level: 'MUST',
    sentence: 'In a currency without decimal places a stake of 10 is 10, and a payout of 25 is 25.',
    loses: 'The player pays a hundred times the stake, or loses all but a hundredth of the payout.',
    covers: ['P15'],
    acts: [{ kind: 'another_player', who: 'with_yen' }, placeWithStake('10'), settleAsWon('25'), awaitCalls('settle')],
    expect: [expectAtLeast('settle', 1), expectInOrder(10, 25), { kind: 'currencies', of: ['JPY'] }],
    mayBeUnable: true, // a platform may not support yen
  },
]

export const PLAYER_CASES: readonly PlatformCase[] = [
  {
    kind: 'scene',
    id: 'platform-player-01',
    clause: 'Resources, token; Resources, userId',
    level: 'MUST',
    sentence: 'Two players whose tokens and ids differ in case only are two players.',
    loses: 'The bet of one player is debited from another.',
    covers: ['P15'],
    acts: [PLACE_ACT, { kind: 'another_player', who: 'in_other_case' }, PLACE_ACT],
    expect: [expectCount('place', 2), OWN_PLAYER],
  },
  {
    kind: 'scene',
    id: 'platform-player-02',
    clause: 'Limits, token length; Limits, userId length',
    level: 'MUST',
    sentence: 'A token and a userId of 64 characters are sent back whole.',
    loses: 'A partner with such long tokens or ids loses every bet of every player.',
    covers: ['P15'],
    acts: [{ kind: 'another_player', who: 'with_longest_ids' }, PLACE_ACT, settleAsWon('25.00'), awaitCalls('settle')],
    expect: [expectCount('place', 1), OWN_PLAYER],
  },
  {
    kind: 'scene',
    id: 'platform-player-03',
    clause: 'Resources, operatorUser; P-5',
    level: 'SHOULD',
    sentence: 'An operatorUser that the profile names is in every call about the bets of this player.',
    loses: 'An aggregator cannot find the player: a bet is not debited, or a win is not paid.',
    covers: ['P15'],
    acts: [
      { kind: 'another_player', who: 'behind_an_aggregator' },
      PLACE_ACT,
      settleAsWon('25.00'),
      awaitCalls('settle'),
    ],
    expect: [expectAtLeast('settle', 1), OWN_PLAYER],
  },
]
