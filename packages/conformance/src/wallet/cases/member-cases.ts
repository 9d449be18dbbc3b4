/** Cases: a bet with rare but valid members, which some wallets wrongly reject, is accepted. */

import { allowAccepted, placeStep, rollbackStep, settleStep } from '../case/step-builders.ts'
import type { StepCase } from '../case/wallet-case.ts'

const BONUS = { bonusId: 4711, bonusTemplateId: 77 }
const FREEBET = { ...BONUS, bonusAmount: 100 }
/** The player pays the stake, as the interface says, or the operator's promotions pay it (M-4). */
const TAKEN = [allowAccepted('debit'), allowAccepted('nothing')]

const NEWS = {
  ...{ disciplineId: 9, discipline: 'Football ⚽', tournamentId: 78, tournament: '🏆 Cup', eventId: 4712 },
  ...{ event: '𝔅𝔯𝔞𝔫𝔫 🇳🇴 - 😀', marketId: 2, market: '👍', outcomeId: 3, outcome: '𠮷野', coefficient: 2.5 },
}

/**
 * The interface states no bounds of these members. Examples are a market without a date and names
 * by language.
 */
const ODDLY_DESCRIBED = [
  { boosterCoefficient: 0 },
  { coefficient: 0 },
  { metadata: [{ ...NEWS, coefficient: 0 }] },
  { metadata: [{ ...NEWS, eventDate: null, stage: null }] },
  { metadata: [{ ...NEWS, eventDate: '2031-05-16T18:00:00.000Z' }] },
  { metadata: [{ ...NEWS, event: { en: 'Brann - Molde', de: 'Brann gegen Molde' } }] },
]

const REFUSED = 'the operator loses every such bet'

export const MEMBER_CASES: readonly StepCase[] = [
  {
    id: 'member-01',
    clause: 'Resources, gameType',
    level: 'MUST',
    sentence: "a bet of gameType 'turbogames' is a bet like any other",
    loses: REFUSED,
    covers: ['I6'],
    steps: [
      placeStep({ members: { gameType: 'turbogames' } }),
      settleStep('won', '200', { members: { gameType: 'turbogames' } }),
    ],
  },
  {
    id: 'member-02',
    clause: 'Resources, bonusId; Resources, bonusTemplateId; Resources, bonusAmount; M-4',
    level: 'MUST',
    sentence: 'a freebet is accepted, its win is paid in full, and its Rollback returns the debited amount',
    loses: 'the player loses every freebet, or a part of its win',
    covers: ['I6'],
    steps: [
      ...[placeStep({ members: FREEBET }, TAKEN), settleStep('won', '150', { members: BONUS }, allowAccepted('pay'))],
      ...[placeStep({ bet: 'Y', members: FREEBET }, TAKEN), rollbackStep({ bet: 'Y', members: FREEBET })],
    ],
  },
  {
    id: 'member-03',
    clause: 'Resources, subPartnerId',
    level: 'MUST',
    sentence: 'a subPartnerId that is a text is accepted',
    loses: 'the operator loses every bet of a site that shares its secret with another site',
    covers: ['I6'],
    steps: [placeStep({ members: { subPartnerId: 'site-2.example' } })],
  },
  {
    id: 'member-04',
    clause: 'Resources, ip',
    level: 'MUST',
    sentence: 'an IPv6 address is an IP address, in its short form and in its full form',
    loses: 'the operator loses every bet from a mobile network',
    covers: ['I6'],
    steps: ['2001:db8::7', '2001:0db8:0000:0000:0000:0000:0000:0007'].map((ip, index) =>
      placeStep({ bet: `address ${index + 1}`, members: { ip } }),
    ),
  },
  {
    id: 'member-05',
    clause: 'Resources, coefficient',
    level: 'MUST',
    sentence: 'a coefficient of 10000 is accepted',
    loses: 'the operator loses the express bets with the longest odds',
    covers: ['I6'],
    steps: [
      placeStep({ members: { ticketType: 'express', coefficient: 10_000, boosterCoefficient: 1.15 } }),
      settleStep('lost', '0', { members: { ticketType: 'express', coefficient: 10_000 } }),
    ],
  },
  {
    id: 'member-06',
    clause: 'Resources, metadata',
    level: 'MUST',
    sentence: 'characters of four bytes in the metadata are accepted as text',
    loses: 'the operator loses every bet on a match whose name contains a flag or a ball',
    covers: ['C46', 'I6'],
    steps: [placeStep({ members: { metadata: [NEWS] } })],
  },
  {
    id: 'member-07',
    clause: 'W-3',
    level: 'SHOULD',
    sentence: 'a bet is accepted with any odds, dates and names: they only describe it',
    loses: REFUSED,
    covers: ['I6'],
    steps: ODDLY_DESCRIBED.map((members, index) => placeStep({ bet: `description ${index + 1}`, members })),
  },
]
