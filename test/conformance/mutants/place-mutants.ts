/** Faults of Place bet: amounts, tokens, players, repeats (M-*, P-1, I-*, column "Place bet" of the life table). */
import { type Mutant, seenOnWire, seenWithOperator } from './mutant.ts'

export const MONEY_MUTANTS = {
  'amount-text-accepted': seenOnWire('An amount in quotes is accepted', 'C33', 'K4'),
  'amount-true-accepted': seenOnWire('An amount that is true counts as 1', 'C33'),
  'negative-amount-accepted': seenOnWire('A negative stake is a credit', 'C32', 'K4'),
  'zero-stake-accepted': seenOnWire('A stake of 0 without a freebet is accepted', 'C31', 'K4'),
  'huge-amount-crashes': seenOnWire('An amount of 1e308 is answered 500', 'C33', 'K4'),
  'decimals-rounded': seenOnWire('Decimals that the currency does not have are rounded', 'C34', 'K23'),
  'decimals-cut': seenOnWire('Decimals that the currency does not have are cut off', 'C34', 'K23'),
  'float-balance': seenOnWire('Balances are floating-point numbers', 'C35', 'K23'),
  'float-amount-cut': seenOnWire('Amounts are multiplied by 100 as floating-point numbers and cut', 'C35', 'K23'),
  'single-precision': seenOnWire('Amounts pass through a float of 32 bits', 'K23', 'C36'),
  'int32-overflow': seenOnWire('Amounts of more than 2^31 cents are answered 500', 'K23', 'C36'),
  'two-decimals-everywhere': seenWithOperator('Every currency has two decimals', 'C34', 'C36'),
  'exponent-refused': seenOnWire('An amount written 1e2 is refused', 'K1', 'C35'),
  'trailing-zero-refused': seenOnWire('An amount written 12.10 is refused', 'C35', 'K1'),
  'unknown-currency-accepted': seenOnWire('A bet in an unknown currency is booked in the active one', 'C50', 'K24'),
} as const satisfies Record<string, Mutant>

export const PLACE_MUTANTS = {
  'place-token-unchecked': seenOnWire('Place bet does not look at the token', 'B18', 'K5'),
  'place-token-of-another-accepted': seenOnWire("A bet with another player's token is accepted", 'B20', 'K5'),
  'place-expired-token-accepted': seenOnWire('A bet with an expired token is accepted', 'B19'),
  'place-token-currency-unchecked': seenOnWire('A bet in another currency than its token is accepted', 'B21', 'K24'),
  'blocked-player-bets': seenOnWire('A blocked player may bet', 'B23'),
  'excluded-player-bets': seenOnWire('A self-excluded player may bet', 'C51'),
  'unverified-player-bets': seenOnWire('A player who is not verified may bet', 'C51'),
  'child-bets': seenOnWire('A player under age may bet', 'C51'),
  'stake-limit-ignored': seenWithOperator('The stake limit is not kept', 'C51'),
  'loss-limit-ignored': seenWithOperator('The loss limit is not kept', 'C51'),
  'bet-count-limit-ignored': seenWithOperator('The limit of the number of bets is not kept', 'C51'),
  'limits-refused-as-no-money': seenWithOperator('A limit that is reached is answered as too little money', 'C51'),
  'place-debits-nothing': seenOnWire('An accepted bet is not debited', 'C27'),
  'whole-balance-refused': seenOnWire('A bet of the whole balance is refused', 'C28'),
  'funds-unchecked': seenOnWire('A bet above the balance is accepted', 'C29', 'K7'),
  'no-money-as-100': seenOnWire('Too little money is answered with code 100', 'C29', 'K7'),
  'place-repeat-debits': seenOnWire('A repeated bet is debited again', 'C37', 'K9'),
  'place-keyed-by-request': seenOnWire('A repeat with a new requestId is debited again', 'C39', 'K9'),
  'place-settled-repeat-debits': seenOnWire('The repeat of a settled bet is debited again', 'C37', 'F105'),
  'place-repeat-refused': seenOnWire('A repeated bet is refused as already processed', 'C37', 'K9'),
  'place-repeat-needs-live-token': seenWithOperator('A repeat with a token that has died is refused', 'C37', 'F107'),
  'place-other-amount-ok': seenOnWire('The same bet with another stake is answered 200', 'C38'),
  'place-other-amount-debits': seenOnWire('The same bet with another stake is debited as well', 'C38'),
  'request-id-is-the-bet': seenOnWire(
    'Another bet with the requestId of an earlier one is taken for its repeat',
    'C40',
  ),
  'bets-shared-by-players': seenOnWire('A bet with the id of another player’s bet is taken for its repeat', 'C41'),
  'place-cancelled-ok': seenOnWire('The repeat of a cancelled bet is answered 200', 'D58', 'C37'),
  'place-cancelled-debits': seenOnWire('The repeat of a cancelled bet is debited', 'D58', 'K18'),
  'refused-bet-accepted-later': seenOnWire('A refused bet is accepted when the money has come', 'D61', 'C29'),
} as const satisfies Record<string, Mutant>

export const RACE_MUTANTS = {
  'race-funds': seenOnWire('Two bets at once both see the same balance', 'F104', 'K8'),
  'race-place-repeat': seenOnWire('Two equal bets at once are both debited', 'F102', 'K9'),
  'race-settle-repeat': seenOnWire('Two equal settlements at once are both paid', 'F103', 'K12'),
  'race-unsettle-repeat': seenOnWire('Two equal unsettlements at once both take the payout', 'E93', 'K16'),
  'race-rollback-repeat': seenOnWire('Two rollbacks at once both refund', 'D56', 'K18'),
  'race-rollback-in-flight': seenOnWire('A rollback does not wait for its bet, which is then debited', 'D59', 'K20'),
  'race-lost-update': seenOnWire('A settlement writes the balance that it read before other bets', 'K25', 'F101'),
} as const satisfies Record<string, Mutant>
