// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the searched text is source code

/**
 * Faults of the fast path (packages/server/src/wallet/queue): at least one per predicate, since
 * each predicate repeats a rule.
 */

const GATE = ['packages/server/test/wallet/fast-path.test.ts']
const FAST_PATH_RESULTS = ['packages/server/test/wallet/fast-path-results.test.ts']
const PLAYER_IS_THERE = '(select 1 from purser.player where bucket = $1::int and player = k.player limit 1) is not null'
const BET_IS_THERE =
  'select 1 from purser.bet where bucket = $1::int and bet_id = k.bet_id and player = k.player limit 1'
const ACCOUNT = 'from purser.account where bucket = $1::int'
const ACCOUNT_OF_CALL = `${ACCOUNT} and player = k.player`

/** @type {readonly (readonly [search: string, planted: string, tests: readonly string[]])[]} */
export const FAST_PATH_TEXT_FAULTS = [
  ["'xmax = pg_current_xact_id()::xid'", "'true'", FAST_PATH_RESULTS],
  ["'xmax = pg_current_xact_id()::xid'", "'false'", GATE],
  [`case when held is null then ${PLAYER_IS_THERE} end`, PLAYER_IS_THERE, FAST_PATH_RESULTS],
  [`case when held is null then ${PLAYER_IS_THERE} end`, 'held is null', GATE],
  ['and player = k.player limit 1 for update', 'limit 1 for update', GATE],
  ['when $3::date > a.day then', 'when $3::date >= a.day then', GATE],
  ['${IS_UNRESTRICTED} and ${IS_LOCKED} as', '${IS_LOCKED} as', GATE],
  [' and ${IS_LOCKED} as is_plain', ' as is_plain', FAST_PATH_RESULTS],
  [
    'birthday\n       from purser.player where bucket = $1::int and player = k.player',
    'birthday\n       from purser.player where bucket = $1::int',
    GATE,
  ],
  ['and (self_excluded_until is null or self_excluded_until <= $2::timestamptz)', '', GATE],
  ['self_excluded_until <= $2', 'self_excluded_until < $2', GATE],
  ['self_excluded_until is null or ', '', GATE],
  ['and (birthday is null or birthday collate "C" <= $4::text)', '', GATE],
  ['birthday collate "C" <= $4', 'birthday collate "C" < $4', GATE],
  ['birthday is null or ', '', GATE],
  [' and token_hash = k.token', '', GATE],
  ['s.player = k.player and s.currency', 's.currency', GATE],
  [' and s.currency = k.currency and ended_at', ' and ended_at', GATE],
  ['ended_at is null and ', '', GATE],
  [' and expires_at > $2::timestamptz', '', GATE],
  ['expires_at > $2', 'expires_at >= $2', GATE],
  ['and balance >= k.stake and', 'and', GATE],
  ['balance >= k.stake', 'balance > k.stake', GATE],
  ['k.stake and day <= $3::date', 'k.stake', GATE],
  ['k.payout and day <= $3::date', 'k.payout', FAST_PATH_RESULTS],
  [`       and (${BET_IS_THERE}) is null\n`, '', GATE],
  ['bet_id = k.bet_id and player = k.player limit 1) is null', 'bet_id = k.bet_id limit 1) is null', GATE],
  [
    'where bucket = $1::int and bet_id = k.bet_id and player = k.player limit 1) is',
    'where bucket = $1::int and player = k.player limit 1) is',
    GATE,
  ],
  [
    `${ACCOUNT_OF_CALL} and currency = k.currency limit 1\n     ) a\n     where is_plain`,
    `${ACCOUNT_OF_CALL} limit 1\n     ) a\n     where is_plain`,
    GATE,
  ],
  [
    `${ACCOUNT_OF_CALL} and currency = k.currency limit 1\n     ) a\n     where is_plain`,
    `${ACCOUNT} and currency = k.currency limit 1\n     ) a\n     where is_plain`,
    GATE,
  ],
  ["where is_locked and status = 'open' and", "where is_locked and status <> 'settled' and", FAST_PATH_RESULTS],
  [" and status = 'open' and calls = 1 and", " and status = 'open' and", FAST_PATH_RESULTS],
  ['where is_locked and', 'where', FAST_PATH_RESULTS],
  ['bet_id = k.bet_id and player = k.player limit 1\n', 'bet_id = k.bet_id limit 1\n', FAST_PATH_RESULTS],
  ['bet_id = k.bet_id and player = k.player limit 1\n', 'player = k.player limit 1\n', FAST_PATH_RESULTS],
  [' and (b.platform = k.signer or $5::boolean)', '', FAST_PATH_RESULTS],
  ['b.platform = k.signer or $5::boolean', 'b.platform = k.signer', FAST_PATH_RESULTS],
  [
    `${ACCOUNT_OF_CALL} and currency = k.currency limit 1\n     ) a\n     where is_locked`,
    `${ACCOUNT_OF_CALL} limit 1\n     ) a\n     where is_locked`,
    FAST_PATH_RESULTS,
  ],
  [
    `${ACCOUNT_OF_CALL} and currency = k.currency limit 1\n     ) a\n     where is_locked`,
    `${ACCOUNT} and currency = k.currency limit 1\n     ) a\n     where is_locked`,
    FAST_PATH_RESULTS,
  ],
  [
    'as is_locked from purser.player where bucket = $1::int and player = k.player limit 1',
    'as is_locked from purser.player where bucket = $1::int limit 1',
    FAST_PATH_RESULTS,
  ],
  ['where t.amount > 0', '', FAST_PATH_RESULTS],
  [' and b.currency = k.currency and funder', ' and funder', FAST_PATH_RESULTS],
  [" and funder = 'player' and stake > 0", ' and stake > 0', FAST_PATH_RESULTS],
  [' and stake > 0\n', '\n', FAST_PATH_RESULTS],
  ['and balance <= $4::bigint - k.payout and', 'and', FAST_PATH_RESULTS],
  ['balance <= $4', 'balance < $4', FAST_PATH_RESULTS],
  ['case when f.payout > 0 then 2 else 1 end', '2', FAST_PATH_RESULTS],
  ['calls = 2, last_result = 2,', 'calls = 2, last_result = 1,', ['packages/server/test/wallet/same-rows.test.ts']],
  ['count(*) > (select count(*) from settled)', 'count(*) < (select count(*) from settled)', FAST_PATH_RESULTS],
]

/** @type {readonly (readonly [search: string, planted: string, tests: readonly string[]])[]} */
export const FAST_PATH_FAULTS = [
  ["return chooseFunder(call, rules) === 'player'", 'return true', GATE],
  ["call.kind === 'settle' && ", '', FAST_PATH_RESULTS],
  [" && call.resultType !== 'cashout'", '', FAST_PATH_RESULTS],
  [' && !contradictsAmount(call)', '', FAST_PATH_RESULTS],
  ['filter((one) => !isTooLate(one))', 'filter(() => true)', GATE],
  ['busy.has(call.player) ? BUSY', 'busy.has(call.player) ? LEFT', FAST_PATH_RESULTS],
]
