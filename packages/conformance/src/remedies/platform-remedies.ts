/** Instructions to repair a platform that fails cases. The most expensive fault is first. */
export const PLATFORM_REMEDIES: readonly (readonly [change: string, cases: string])[] = [
  ['Sign the exact bytes that are sent, on every request.', 'platform-form-01'],
  [
    'Send one Rollback for a Place bet whose outcome is unknown: no answer in 5 s, a broken connection, another status.',
    'platform-silence-01 platform-silence-02 platform-silence-03 platform-silence-07 platform-silence-08 platform-silence-09 platform-silence-10 platform-answer-06 platform-answer-08 platform-answer-09 platform-answer-10 platform-answer-11 platform-answer-12 platform-answer-13 platform-answer-14 platform-silence-05',
  ],
  [
    'Write each call to the database before it is sent, and go on with the unanswered ones after a restart.',
    'platform-crash-01 platform-crash-02 platform-crash-03 platform-crash-04',
  ],
  [
    'Try a Rollback again with the same data and growing gaps, ten times within six minutes, until 200 or 400.',
    'platform-rollback-01 platform-rollback-03 platform-rollback-07 platform-rollback-08 platform-rollback-09 platform-rollback-04 platform-rollback-02 platform-rollback-05',
  ],
  [
    'Send a Settle or Unsettle again with the same data until it is answered, and never at the same time as its first attempt.',
    'platform-result-01 platform-result-02 platform-result-04 platform-result-03 platform-result-10 platform-result-11 platform-result-12 platform-result-05 platform-result-06',
  ],
  [
    'Deliver the results of a bet in the order of their decisions, one at a time.',
    'platform-result-08 platform-result-09 platform-result-13 platform-result-14 platform-rollback-11',
  ],
  [
    'Keep money as integers of minor units or as decimals, and write it exactly.',
    'platform-exact-01 platform-exact-02 platform-exact-03',
  ],
  [
    'Keep the currency, the player and the stake of Place bet, and send the same ones in every later call of the bet.',
    'platform-currency-01 platform-currency-02 platform-form-06 platform-form-07',
  ],
  [
    'Keep tokens and ids whole and exactly as received, and send operatorUser when the profile has one.',
    'platform-player-01 platform-player-02 platform-player-03',
  ],
  [
    'Accept a bet on 200 with its own transactionId only; another body is an unknown outcome.',
    'platform-answer-15 platform-answer-16 platform-answer-17 platform-answer-18',
  ],
  [
    'Take 200 in time as accepted and 400 with a code as declined, and send no Rollback after either.',
    'platform-answer-01 platform-answer-02 platform-silence-04 platform-answer-03 platform-answer-04 platform-answer-05',
  ],
  [
    'Send exactly the members of the operation, each with its type, length and listed values.',
    'platform-form-02 platform-form-03 platform-form-04 platform-form-05 platform-form-08',
  ],
  ['Name the right reason in errorCode of a Rollback.', 'platform-answer-07 platform-silence-06'],
  [
    'Show refused and stuck calls, so that a person sees them.',
    'platform-rollback-06 platform-rollback-10 platform-result-07',
  ],
  ['Keep queues and connections of partners apart, so that a silent one delays no other.', 'platform-isolation-01'],
]
