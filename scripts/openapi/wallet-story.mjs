/**
 * Example calls for the wallet's API reference, each with its expected status. Together they are
 * the history of a player.
 */
import { adjustmentSteps } from './adjustment-story.mjs'
import { changeSteps } from './change-story.mjs'
import { closeForGood } from './document.mjs'
import { keySteps } from './key-story.mjs'
import { sessionSteps } from './session-story.mjs'
import { webhookSteps } from './webhook-story.mjs'

export const BET = '7b1c8f0e-4c55-4d0a-9b3f-0d8a7b0c5e11'
const SECOND_BET = 'c2d9f6aa-0f7e-4f0e-8d55-3a3f1f6f9b42'
const REFUSED_BET = '1f4b6d2e-9a1c-4e7b-8f3a-5c2d7e9b0a64'
const PATH = '/operator/players/alice'
const UNKNOWN_PLAYER = '/operator/players/nobody'
const BET_PATH = `${PATH}/bets/${BET}`
const FOREIGN_TOKEN = 'a-token-that-this-wallet-never-gave-out'

const alice = {
  userId: 'alice',
  currency: 'EUR',
  currencies: ['EUR', 'USD'],
  customFields: { nickname: 'Alice', userCountry: 'DE' },
}
const selection = {
  disciplineId: 1,
  discipline: 'Football',
  tournamentId: 77,
  tournament: 'Eliteserien',
  tournamentRegionCode: 'NO',
  eventId: 4711,
  event: 'Brann - Molde',
  eventDate: '2031-05-16 18:00:00',
  marketId: 1,
  market: 'Winner',
  outcomeId: 2,
  outcome: 'Molde',
  coefficient: 2.5,
  stage: 1,
}

const common = {
  userId: 'alice',
  currency: 'EUR',
  coefficient: 2.5,
  gameType: 'sportsbook',
  bonusId: null,
  bonusTemplateId: null,
  ticketType: 'single',
  boosterCoefficient: 1,
}

let messages = 0
function fresh() {
  messages += 1
  return `d9195aef-9492-43dd-88d0-${String(messages).padStart(12, '0')}`
}

const post = (url, body) => () => ['POST', url, body]
const get = (url) => () => ['GET', url]
const place = (over) => (known) => {
  const names = { requestId: fresh(), type: 1, transactionId: BET, token: known.token }
  const extras = { ip: '203.0.113.7', subPartnerId: null, metadata: [selection], bonusAmount: null }
  return ['POST', '/payment/bet', { ...names, amount: 10, ...common, ...extras, ...over }]
}
const change = (type, over) => () => {
  return ['PUT', '/payment/bet', { requestId: fresh(), type, transactionId: BET, ...common, ...over }]
}
const settle = (over) => change(2, { amount: 25, resultType: 'won', ...over })
const rollback = (over) => change(3, { amount: 10, errorCode: 8, ...over })
const ask = (path, over) => (known) => ['POST', path, { token: known.token, requestId: fresh(), ...over }]

function step(operationId, status, name, summary, call, more) {
  return { operationId, status, name, summary, call, ...more }
}

const players = [
  step('createPlayer', 201, 'created', 'A new player', post('/operator/players', alice)),
  step('createPlayer', 200, 'again', 'A repeat of the request', post('/operator/players', alice)),
  step(
    'createPlayer',
    409,
    'differs',
    'Other data under the same id',
    post('/operator/players', { ...alice, currency: 'USD' }),
  ),
  step('createPlayer', 400, 'invalid', 'Two faults', post('/operator/players', { userId: '', name: 'Alice' })),
  step('listPlayers', 200, 'found', 'By the beginning of the id', get('/operator/players?q=ali')),
  step('listPlayers', 400, 'invalid', 'A status that does not exist', get('/operator/players?status=asleep')),
  step('readPlayer', 200, 'player', 'The player', get(PATH)),
  step('readPlayer', 400, 'tooLong', 'An id of 65 characters', get(`/operator/players/${'a'.repeat(65)}`)),
  step('readPlayer', 404, 'unknown', 'No player has this id', get(UNKNOWN_PLAYER)),
  step('changePlayer', 200, 'limited', 'Limits per currency and day', () => [
    'PATCH',
    PATH,
    { limits: { stake: '500.00', betCount: 100 }, verified: true },
  ]),
  step('changePlayer', 400, 'invalid', 'A status that does not exist', () => ['PATCH', PATH, { status: 'asleep' }]),
  step('changePlayer', 404, 'unknown', 'No player has this id', () => ['PATCH', UNKNOWN_PLAYER, { status: 'blocked' }]),
]

const money = [
  step('deposit', 201, 'deposit', 'Also the response to a repeat', post(...cash('deposits', '1000.00', 'psp-4711'))),
  step('deposit', 400, 'decimals', 'More decimals than EUR has', post(...cash('deposits', '0.001', 'psp-4712'))),
  step(
    'deposit',
    404,
    'unknown',
    'No player has this id',
    post(`${UNKNOWN_PLAYER}/deposits`, cash('', '1.00', 'psp-4713')[1]),
  ),
  step(
    'deposit',
    409,
    'notHers',
    'A currency that the player does not have',
    post(...cash('deposits', '1.00', 'psp-4714', 'SEK')),
  ),
  step('deposit', 422, 'reused', 'The reference of another movement', post(...cash('deposits', '5.00', 'psp-4711'))),
  step(
    'withdrawal',
    201,
    'withdrawal',
    'Also the response to a repeat',
    post(...cash('withdrawals', '40.00', 'out-1')),
  ),
  step('withdrawal', 400, 'zero', 'An amount of zero', post(...cash('withdrawals', '0.00', 'out-2'))),
  step(
    'withdrawal',
    404,
    'unknown',
    'No player has this id',
    post(`${UNKNOWN_PLAYER}/withdrawals`, cash('', '1.00', 'out-3')[1]),
  ),
  step(
    'withdrawal',
    409,
    'tooMuch',
    "More than the player's balance",
    post(...cash('withdrawals', '9999.00', 'out-4')),
  ),
  step(
    'withdrawal',
    422,
    'reused',
    'The reference of another movement',
    post(...cash('withdrawals', '41.00', 'out-1')),
  ),
]

function cash(path, amount, reference, currency = 'EUR') {
  return [`${PATH}/${path}`, { currency, amount, reference }]
}

const wire = [
  step('placeBet', 200, 'placed', 'Also the response to a repeat', place()),
  step('placeBet', 400, 'notEnoughMoney', 'Code 7', place({ transactionId: REFUSED_BET, amount: 961 })),
  step('placeBet', 400, 'wrongToken', 'Code 3', place({ transactionId: SECOND_BET, token: FOREIGN_TOKEN })),
  step('placeBet', 400, 'badSignature', 'Code 1', place(), { credential: 'another secret' }),
  step('changeBet', 200, 'settled', 'Settle: won', settle()),
  step('changeBet', 200, 'unsettled', 'Unsettle', change(1, {})),
  step('changeBet', 400, 'unknownBet', 'Code 5', settle({ transactionId: SECOND_BET })),
  step('changeBet', 200, 'settledAgain', 'Settle: lost', settle({ amount: 0, resultType: 'lost' })),
  step('changeBet', 400, 'rollbackTooLate', 'Code 8', rollback()),
  step(
    'changeBet',
    200,
    'rolledBack',
    'Rollback of a bet that has not arrived yet',
    rollback({ transactionId: SECOND_BET }),
  ),
  step('changeBet', 400, 'settleAfterRollback', 'Code 20', settle({ transactionId: SECOND_BET })),
  step('readProfile', 200, 'profile', "The token's player", ask('/user/profile', {})),
  step('readProfile', 400, 'wrongToken', 'Code 3', ask('/user/profile', { token: FOREIGN_TOKEN })),
  step('readBalance', 200, 'balance', 'In EUR', ask('/user/balance', { userId: 'alice', currency: 'EUR' })),
  step('readBalance', 400, 'notHers', 'Code 5', ask('/user/balance', { userId: 'alice', currency: 'SEK' })),
  step('checkBet', 200, 'settled', 'Last settled', post('/payment/check', { transactionId: BET, userId: 'alice' })),
  step('checkBet', 400, 'unknown', 'Code 5', post('/payment/check', { transactionId: BET, userId: 'bob' })),
]

const NO_RUN = '00000000-0000-4000-8000-000000000000'

const oversight = [
  step('readBalances', 200, 'balances', 'All accounts of the player', get(`${PATH}/balances`)),
  step('readBalances', 400, 'tooLong', 'An id of 65 characters', get(`/operator/players/${'a'.repeat(65)}/balances`)),
  step('readBalances', 404, 'unknown', 'No player has this id', get(`${UNKNOWN_PLAYER}/balances`)),
  step('readStatement', 200, 'page', 'The first page', get(`${PATH}/statement?currency=EUR&limit=3`)),
  step('readStatement', 200, 'table', 'All rows as a table', get(`${PATH}/statement?kind=deposit`), {
    accept: 'text/csv',
  }),
  step('readStatement', 200, 'lines', 'One JSON object per line', get(`${PATH}/statement?kind=deposit`), {
    accept: 'application/x-ndjson',
  }),
  step('readStatement', 400, 'cursor', 'An invalid cursor', get(`${PATH}/statement?after=yesterday`)),
  step('readStatement', 404, 'unknown', 'No player has this id', get(`${UNKNOWN_PLAYER}/statement`)),
  step('reportDays', 200, 'today', 'A day that has not ended', get('/operator/reports/daily?from=2026-05-16')),
  step('reportDays', 200, 'table', 'The same as a table', get('/operator/reports/daily?from=2026-05-16'), {
    accept: 'text/csv',
  }),
  step('reportDays', 400, 'invalid', 'A day that has not begun', get('/operator/reports/daily?from=9000-01-01')),
  step('reportPlayers', 200, 'page', 'The players of a day', get('/operator/reports/players?day=2026-05-16')),
  step('reportPlayers', 400, 'cursor', 'An invalid cursor', get('/operator/reports/players?day=2026-05-16&after=x')),
  step('listTransfers', 200, 'page', 'The deposits of a day', get('/operator/transfers?kind=deposit&day=2026-05-16')),
  step('listTransfers', 400, 'cursor', 'An invalid cursor', get('/operator/transfers?after=yesterday')),
  step('listBets', 200, 'page', 'The first page', get('/operator/bets?userId=alice&status=settled&limit=2')),
  step('listBets', 400, 'status', 'A status that does not exist', get('/operator/bets?status=pending')),
  step('readBet', 200, 'bet', 'Settled, unsettled, settled', get(BET_PATH)),
  step('readBet', 400, 'tooShort', 'An invalid id of a bet', get(`${PATH}/bets/1`)),
  step('readBet', 404, 'unknown', 'An unknown bet', get(`${PATH}/bets/never-placed-1`)),
  step('lockBet', 204, 'locked', 'Locked', () => ['PUT', `${BET_PATH}/lock`]),
  step('lockBet', 400, 'tooShort', 'An invalid id of a bet', () => ['PUT', `${PATH}/bets/1/lock`]),
  step('lockBet', 404, 'unknown', 'An unknown bet', () => ['PUT', `${PATH}/bets/never-placed-1/lock`]),
  step('unlockBet', 204, 'unlocked', 'Unlocked', () => ['DELETE', `${BET_PATH}/lock`]),
  step('unlockBet', 400, 'tooShort', 'An invalid id of a bet', () => ['DELETE', `${PATH}/bets/1/lock`]),
  step('unlockBet', 404, 'unknown', 'An unknown bet', () => ['DELETE', `${PATH}/bets/never-placed-1/lock`]),
  step('startConformance', 202, 'begun', 'A run that has started', post('/operator/conformance')),
  step('startConformance', 409, 'running', 'Another run has not ended', post('/operator/conformance')),
  step('listConformance', 200, 'page', 'The newest entries', get('/operator/conformance?limit=1')),
  step('listConformance', 400, 'invalid', 'An invalid cursor', get('/operator/conformance?after=x')),
  step('readConformance', 200, 'run', 'The results so far', ({ run }) => get(`/operator/conformance/${run}`)()),
  step('readConformance', 400, 'invalid', 'An invalid id of a run', get('/operator/conformance/last')),
  step('readConformance', 404, 'unknown', 'An unknown run', get(`/operator/conformance/${NO_RUN}`)),
  step('readLedger', 200, 'zero', 'The ledger sums to zero', get('/operator/ledger')),
  step('readNow', 200, 'hour', 'The last hour', get('/operator/now')),
  step('listAnomalies', 200, 'page', 'The newest entries', get('/operator/anomalies?limit=1')),
  step('listAnomalies', 400, 'limit', 'An invalid number of rows', get('/operator/anomalies?limit=all')),
  step('listCalls', 200, 'none', 'Calls about an unknown bet', get('/operator/calls?transactionId=never-placed-1')),
  step('listCalls', 400, 'cursor', 'An invalid cursor', get('/operator/calls?after=yesterday')),
  step('showId', 200, 'bet', 'The first six characters of a bet', get(`/operator/show/${BET.slice(0, 6)}`)),
  step('showId', 200, 'transfer', "The operator's reference of a payment", get('/operator/show/psp-4711')),
  step('showId', 400, 'tooLong', 'An invalid id', get(`/operator/show/${'a'.repeat(201)}`)),
  step('showId', 404, 'unknown', 'An unknown id', get('/operator/show/nothing-of-ours')),
  step('readHistory', 200, 'page', 'The decisions about the player', get(`${PATH}/history`)),
  step('readHistory', 400, 'cursor', 'An invalid cursor', get(`${PATH}/history?after=yesterday`)),
  step('readHistory', 404, 'unknown', 'No player has this id', get(`${UNKNOWN_PLAYER}/history`)),
  step('listActions', 200, 'page', 'Entries about one player', get('/operator/actions?player=alice&limit=3')),
  step('listActions', 400, 'cursor', 'An invalid cursor', get('/operator/actions?after=yesterday')),
  step('audit', 200, 'clean', 'No findings', get('/operator/audit')),
]

const runSql = (sql) => (db) => db.script((run) => run(sql))
const changes = changeSteps({ prefix: '/operator', schema: 'purser', run: runSql, page: 7, last: 3 }).map(
  ([operationId, status, name, summary, url, more]) => step(operationId, status, name, summary, get(url), more),
)

const keys = keySteps('/operator').map(([operationId, status, name, summary, call]) =>
  step(operationId, status, name, summary, () => call),
)

/** The player's last change, so that no other example shows it waiting. */
const raise = step('changePlayer', 202, 'waits', 'A higher limit waits (PURSER_COOLING_OFF)', () => [
  'PATCH',
  PATH,
  { limits: { stake: '1000.00' } },
])

const { begun, farewell } = sessionSteps({ step, post, get, path: PATH, nobody: UNKNOWN_PLAYER })

/** Operations to call with a wrong key. The key is checked first, so any request will do. */
const OPERATIONS =
  'createPlayer listPlayers readPlayer changePlayer startSession endSessions switchCurrency deposit withdrawal adjustment readBalances \
readStatement audit reportDays listBets readBet lockBet unlockBet listAnomalies listCalls listActions makeKey listKeys rotateKey revokeKey \
readNow startConformance listConformance readConformance listAdjustments approveAdjustment refuseAdjustment readHistory readChanges streamChanges watchChanges readLedger showId listSessions openPersonalData listOpenings reportPlayers listTransfers \
saveWebhook listWebhooks readWebhook listWebhookAttempts testWebhook replayWebhook rotateWebhook removeWebhook'
const withoutKey = OPERATIONS.split(' ').map((operationId) =>
  step(operationId, 401, 'wrongKey', 'Another key', get('/operator/audit'), { credential: 'another key' }),
)

/**
 * Calls to a wallet without a database, which the platform will repeat, and calls of the operator.
 */
const failing = [
  step('changeBet', 500, 'failed', 'The database is down', settle(), { before: closeForGood }),
  step('readProfile', 500, 'failed', 'The database is down', ask('/user/profile', {})),
  step(
    'readBalance',
    500,
    'failed',
    'The database is down',
    ask('/user/balance', { userId: 'alice', currency: 'EUR' }),
  ),
  step(
    'checkBet',
    500,
    'failed',
    'The database is down',
    post('/payment/check', { transactionId: BET, userId: 'alice' }),
  ),
]

/** Every call queries the database, so any request will do. */
const unavailable = OPERATIONS.split(' ').map((operationId) =>
  step(operationId, 503, 'unavailable', 'The database is down', get('/operator/audit')),
)

export const STORY = [
  players,
  begun,
  money,
  wire,
  adjustmentSteps({ step, post, get, path: PATH, nobody: UNKNOWN_PLAYER, bet: BET }),
  oversight,
  webhookSteps({ step, post, get, runSql }),
  changes,
  keys,
  raise,
  farewell,
  withoutKey,
  failing,
  unavailable,
].flat()
