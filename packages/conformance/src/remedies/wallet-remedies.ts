/**
 * Instructions to repair a wallet that fails cases. The most expensive fault is first: a missing
 * check of the signature lets any caller take money.
 */
export const WALLET_REMEDIES: readonly (readonly [change: string, cases: string])[] = [
  [
    'Verify the signature on every path, before anything is read from the body, and refuse the call when it is wrong.',
    'signature-01 signature-02 signature-03 signature-04 signature-05 signature-16 signature-19',
  ],
  [
    'Accept a JWS with alg HS256 only, with an empty middle part, without crit, and compare the whole signature.',
    'signature-06 signature-17 signature-08 signature-07 signature-18',
  ],
  [
    'Look up the whole token exactly as received, refuse one that is unknown or no longer valid, and check that it belongs to the userId.',
    'profile-02 profile-03 profile-04 alike-03 alike-05 alike-04 profile-07 profile-10',
  ],
  [
    'Verify the token of a cashout like that of a Place bet, and pay nothing when it is missing, wrong or no longer valid.',
    'cashout-02 cashout-03 cashout-04 cashout-05',
  ],
  [
    'Let method and type together select the operation, and refuse every other pair.',
    'message-02 message-07 message-08 unsettle-01 message-03',
  ],
  [
    'Accept an amount only when it is a JSON number, not below 0, and refuse the call when the member is missing.',
    'message-04 message-09 settle-11 message-17 money-07',
  ],
  [
    'Debit the stake in the same transaction that stores the bet, and lock the balance while both are written.',
    'place-01 race-01 race-05 race-08 race-09 race-10',
  ],
  [
    'Check the balance before the debit: accept a stake of all of it, and refuse one minor unit more with 400 and code 7.',
    'place-03 place-02',
  ],
  [
    'Keep a unique key on player and transactionId, and answer a repeated Place bet with the stored answer, without a debit.',
    'place-04 race-02 place-06 place-08 late-01 signature-14 place-10 place-12 place-13 place-18',
  ],
  [
    'Find bets by the whole transactionId together with the player, never by requestId or by a part of an id.',
    'place-05 alike-01 alike-02 place-17 place-09 place-19 alike-06',
  ],
  [
    'Refund a bet once: store that it was refunded in the transaction of the refund, and answer later Rollbacks with 200.',
    'rollback-02 race-07 late-03',
  ],
  [
    'Refund the stake that was debited, read from the stored bet, whatever amount or currency the Rollback carries.',
    'rollback-01 rollback-04 rollback-10 currency-06',
  ],
  [
    'Refund nothing for a bet that was never debited, and nothing in addition to a payout that stays.',
    'rollback-05 rollback-06 rollback-13 rollback-12',
  ],
  [
    'Store a Rollback whose bet is unknown, and debit nothing when its Place bet arrives later or at the same moment.',
    'rollback-03 race-03 place-07 place-20',
  ],
  [
    'Pay a result once: compare it with the one that is applied, and answer the same amount with 200 without paying.',
    'settle-02 race-04 late-02 resettle-02',
  ],
  [
    'Replace the earlier payout by the new one in one transaction: take back the old amount and pay the new one.',
    'settle-03 resettle-01 cashout-06 cashout-01',
  ],
  [
    'Pay only a bet that was accepted and not rolled back, to the player who placed it, in its currency.',
    'settle-04 settle-06 rollback-07 settle-07 settle-08',
  ],
  [
    'Take a lower result from the balance in full, or refuse all of it with 400 and code 20 or 21, never a part.',
    'resettle-03 replay-06 resettle-05',
  ],
  ['Add the amount of each Settle to the balance, also where resultType suggests another one.', 'settle-09 settle-05'],
  [
    'Pay results and refund stakes without a token, also when the session has ended or the player is blocked.',
    'settle-01 rollback-08 rollback-09 account-05 account-06 unsettle-09',
  ],
  ['Carry out a Rollback for every errorCode, listed or not.', 'rollback-11 rollback-15'],
  [
    'Keep money as integers of minor units or as decimals, never as floating-point numbers.',
    'money-01 money-02 money-03 money-04 money-05 money-06 money-08',
  ],
  [
    'Keep each bet in the currency in which it was placed, also after the player has switched.',
    'currency-05 currency-01 currency-03',
  ],
  [
    'Give each pair of player and currency a token of its own, and end the old token at a switch.',
    'currency-02 currency-04 currency-07',
  ],
  [
    'Remember each requestId with its call, so that a late copy of an old result or Unsettle changes nothing.',
    'resettle-04 unsettle-11 replay-05 late-05 late-04 late-06',
  ],
  [
    'Take back what was paid, once, in one transaction, and leave the stake in the bet: the bet is open again.',
    'unsettle-02 race-06 unsettle-03 unsettle-04 unsettle-05 unsettle-06 unsettle-07 unsettle-08 unsettle-10',
  ],
  [
    'Refuse the body of a bet call on any other operation: the signature covers neither method nor path.',
    'replay-01 replay-02 replay-03 replay-04',
  ],
  ['Refuse what is not complete: a bet needs transactionId, requestId, userId and currency.', 'message-05 message-10'],
  [
    'Verify the signature over the bytes received and the header received: never parse JSON and write it again before.',
    'signature-09 signature-10 signature-11 signature-12 signature-13',
  ],
  [
    'Bind texts as parameters of the statement, in UTF-8 with four bytes, and store them as received.',
    'message-14 message-16 member-06 message-06',
  ],
  [
    'Accept every value that the interface allows in a member that only describes the bet.',
    'member-01 member-02 member-03 member-04 member-05 member-07 place-14 place-15 place-16 signature-15 message-15 message-13',
  ],
  ['Answer Place bet and Rollback within 5 seconds, also under load.', 'answers-10'],
  ['Answer a refusal with HTTP status 400, never with 200.', 'answers-02 answers-12'],
  [
    'Answer a success with 200, the transactionId of the request and transactionTime in ISO 8601, UTC.',
    'answers-11 answers-07 answers-08 answers-09',
  ],
  [
    'Answer a refusal with a JSON object of an integer code and a message, with HTTP status 400.',
    'answers-03 answers-04 answers-05 answers-01 answers-06',
  ],
  [
    'Answer bad input with 400 and a code: a failure (5xx) makes the service send Rollbacks.',
    'message-01 message-11 message-12 message-18 answers-13',
  ],
  [
    'Answer User data with all data that the operator has stored of this player, and with no invented data.',
    'profile-01 profile-06 profile-08 profile-14 profile-15 profile-09',
  ],
  [
    'Refuse bets of players who must not bet, and stakes beyond the limits of the player.',
    'account-01 account-02 account-03 account-04 account-07 account-08 account-09',
  ],
  ['Read several slashes in a path as one.', 'message-19'],
  ['Refuse a resultType that the interface does not have.', 'settle-10'],
  [
    'Answer Balance and Check with the stored data of this player and this bet only.',
    'profile-05 profile-11 profile-12 profile-13',
  ],
  ['Answer a repeat with the transactionTime of the first time.', 'place-11 rollback-14 settle-12 unsettle-12'],
]
