/**
 * Example calls for the platform's API reference, each with its expected status. Together they are
 * a day of a platform.
 */
import { changeSteps } from './change-story.mjs'
import { closeForGood } from './document.mjs'
import { keySteps } from './key-story.mjs'

const NO_BET = '/bets/00000000-0000-4000-8000-000000000000'
const NO_FRAME = '00000000-0000-4000-8000-000000000001'

const post = (url, body) => ['POST', url, body]
const put = (url, body) => ['PUT', url, body]
const get = (url) => ['GET', url]
const run =
  (sql) =>
  ({ db }) =>
    db.script((query) => query(sql))

/** `call` may use values of earlier replies. */
function step(operationId, status, name, summary, call, more) {
  return { operationId, status, name, summary, call: typeof call === 'function' ? call : () => call, ...more }
}

const remember = (name, member) => (known, answer) => {
  known[name] = answer[member]
}

const home = {
  eventId: 'brann-molde',
  outcomeId: 'home',
  coefficient: '2.10',
  event: 'Brann - Molde',
  market: 'Winner',
  outcome: 'Brann',
}
const draw = { eventId: 'lille-sevilla', outcomeId: 'draw', coefficient: '3.40', event: 'Lille - Sevilla' }
const away = { eventId: 'ajax-leeds', outcomeId: 'away', coefficient: '1.85', event: 'Ajax - Leeds' }

const slip = (over) => (known) =>
  post('/bets', { frameSessionId: known.frame, amount: '10.00', selections: [home], ...over })
const frame = (over) => (known) => post('/frame-sessions', { partnerId: 'acme', token: known.token, ...over })

const partners = [
  step(
    'savePartner',
    201,
    'saved',
    'A new or changed entry',
    ({ walletUrl, secret }) => post('/partners', { partnerId: 'acme', baseUrl: walletUrl, secret }),
    { after: ({ app, keys }) => addClosedPartner(app, keys) },
  ),
  step(
    'savePartner',
    400,
    'invalid',
    'An invalid URL',
    post('/partners', { partnerId: 'acme', baseUrl: 'acme', secret: 's' }),
  ),
  step('listPartners', 200, 'partners', 'A partner without calls', get('/partners?limit=1')),
  step('listPartners', 400, 'invalid', 'An invalid cursor', get('/partners?after=x')),
  step(
    'changePartner',
    200,
    'changed',
    'The wallet accepts the secret and rejects only the token',
    ({ walletUrl, secret }) => put('/partners/acme', { baseUrl: walletUrl, secret }),
  ),
  step(
    'changePartner',
    400,
    'query',
    'An address with a query',
    put('/partners/acme', { baseUrl: 'https://acme.example/?a' }),
  ),
  step(
    'changePartner',
    404,
    'unknown',
    'An unknown partner',
    put('/partners/nobody', { baseUrl: 'https://acme.example' }),
  ),
  step('loadFrame', 201, 'loaded', 'The partner knows the token', frame(), {
    keep: remember('frame', 'frameSessionId'),
  }),
  step('loadFrame', 400, 'invalid', 'A token that is too short', frame({ token: 'short' })),
  step('loadFrame', 404, 'unknown', 'An unknown partner', frame({ partnerId: 'nobody' })),
  step(
    'loadFrame',
    422,
    'refused',
    "The partner's answer is a rejection",
    frame({ token: 'a-token-that-the-partner-never-gave-out' }),
  ),
  step('loadFrame', 502, 'failed', 'No server listens at the address', frame({ partnerId: 'closed' })),
]

async function addClosedPartner(app, keys) {
  const headers = { authorization: `Bearer ${keys.PLATFORM_API_KEY}` }
  const payload = { partnerId: 'closed', baseUrl: 'http://127.0.0.1:1', secret: 'secret' }
  await app.inject({ method: 'POST', url: '/partners', headers, payload })
}

const open = (outcomes) => ({ status: 'open', outcomes })
const before = [
  step('saveEvent', 204, 'open', 'Open, with odds', () =>
    put('/events/brann-molde', open([{ outcomeId: 'home', coefficient: '2.10' }])),
  ),
  step(
    'saveEvent',
    204,
    'ended',
    'Ended: later bets on the event are declined',
    put('/events/old', { status: 'ended' }),
  ),
  step('saveEvent', 400, 'invalid', 'An invalid status', put('/events/brann-molde', { status: 'asleep' })),
  step(
    'saveLimits',
    200,
    'limits',
    'Of outcomes, events, players and every bet',
    put('/limits', {
      eventMaxBets: 500,
      currencies: {
        EUR: { outcomeMaxStake: '10000', playerMaxWin: '50000', maxStake: '1000' },
        JPY: { maxStake: '150000' },
      },
    }),
  ),
  step(
    'saveLimits',
    400,
    'invalid',
    'A number instead of a decimal string',
    put('/limits', { currencies: { EUR: { maxStake: 1000 } } }),
  ),
]

const bets = [
  step('placeBet', 201, 'accepted', 'A single', slip({ idempotencyKey: 'slip-1' }), { keep: remember('bet', 'betId') }),
  step('placeBet', 201, 'express', 'An express', slip({ amount: '5.00', selections: [draw, away] }), {
    keep: remember('express', 'betId'),
  }),
  step('placeBet', 201, 'declined', "The partner's answer is a rejection", slip({ amount: '900.00' })),
  step('placeBet', 201, 'cancelled', 'The odds have changed', slip({ selections: [{ ...home, coefficient: '2.50' }] })),
  step('placeBet', 400, 'invalid', 'More decimals than EUR has', slip({ amount: '10.001' })),
  step('placeBet', 404, 'unknown', 'An unknown frame session', slip({ frameSessionId: NO_FRAME })),
  step('placeBet', 409, 'running', 'The first bet is still being placed', slip({ idempotencyKey: 'slip-1' }), {
    before: run("update platform.bet set status = 'placing' where idempotency_key = 'slip-1'"),
    after: run("update platform.bet set status = 'accepted' where idempotency_key = 'slip-1'"),
  }),
  step('placeBet', 422, 'reused', 'The key of another bet', slip({ amount: '11.00', idempotencyKey: 'slip-1' })),
]

const of =
  (name, path = '', body) =>
  (known) => [path === '' ? 'GET' : 'POST', `/bets/${known[name]}${path}`, body]
const HOME_WON = {
  outcomes: [
    { outcomeId: 'home', result: 'won' },
    { outcomeId: 'draw', result: 'lost' },
    { outcomeId: 'away', result: 'lost' },
  ],
}

const results = [
  step('settleBet', 202, 'won', 'Won', of('bet', '/settle', { resultType: 'won', amount: '21.00' })),
  step('settleBet', 400, 'invalid', 'An invalid amount', of('bet', '/settle', { resultType: 'won' })),
  step('settleBet', 404, 'unknown', 'An unknown bet', post(`${NO_BET}/settle`, { resultType: 'lost', amount: '0' })),
  step('unsettleBet', 202, 'open', 'The bet is open again', of('bet', '/unsettle')),
  step('unsettleBet', 400, 'invalid', 'An invalid id of a bet', post('/bets/1/unsettle')),
  step('unsettleBet', 404, 'unknown', 'An unknown bet', post(`${NO_BET}/unsettle`)),
  step(
    'setResults',
    202,
    'results',
    'The results settle the bets that they decide',
    post('/events/brann-molde/result', HOME_WON),
  ),
  step(
    'setResults',
    400,
    'twice',
    'An outcome named twice',
    post('/events/brann-molde/result', { outcomes: [HOME_WON.outcomes[0], HOME_WON.outcomes[0]] }),
  ),
  step('settleBet', 202, 'cashout', 'Cashed out in a frame', (known) =>
    post(`/bets/${known.express}/settle`, { resultType: 'cashout', amount: '7.00', frameSessionId: known.frame }),
  ),
  step('getBet', 200, 'settled', 'Settled, unsettled, settled', of('bet')),
  step('getBet', 400, 'invalid', 'An invalid id of a bet', get('/bets/1')),
  step('getBet', 404, 'unknown', 'An unknown bet', get(NO_BET)),
  step('placeBet', 201, 'another', 'Another single', slip({ selections: [away], idempotencyKey: 'slip-2' }), {
    keep: remember('late', 'betId'),
  }),
  step('cancelBet', 202, 'cancelled', 'The event was withdrawn', of('late', '/cancel', { errorCode: 32 })),
  step('cancelBet', 400, 'invalid', 'An invalid reason', of('late', '/cancel', { errorCode: 7 })),
  step('cancelBet', 404, 'unknown', 'An unknown bet', post(`${NO_BET}/cancel`, { errorCode: 8 })),
  step('cancelBet', 409, 'settled', 'The bet has a result', of('bet', '/cancel', { errorCode: 8 })),
  step(
    'settleBet',
    409,
    'cancelled',
    'The bet is cancelled',
    of('late', '/settle', { resultType: 'won', amount: '1' }),
  ),
  step('unsettleBet', 409, 'cancelled', 'The bet is cancelled', of('late', '/unsettle')),
]

const lists = [
  step('listBets', 200, 'page', 'The first page', get('/bets?partnerId=acme&limit=2')),
  step('listBets', 400, 'invalid', 'An invalid status', get('/bets?status=asleep')),
  step(
    'listDeliveries',
    200,
    'stuck',
    'Deliveries that need attention',
    get('/deliveries?needsAttention=true&outstanding=true&limit=1'),
    {
      before: run(
        `update platform.delivery set status = 'stuck', owed_since = decided_at, owed_amount = 10.00, owed_currency = 'EUR', error = 'time_out: no complete answer within 5000 ms', attempts = 10
       where delivery_id = (select max(delivery_id) from platform.delivery)`,
      ),
      keep: (known, { data }) => {
        known.delivery = data[0].deliveryId
      },
    },
  ),
  step('listDeliveries', 400, 'invalid', 'An invalid status', get('/deliveries?status=lost')),
  step('retryDeliveries', 200, 'dryRun', 'A dry run', post('/deliveries/retry', { partnerId: 'acme', dryRun: true })),
  step('retryDeliveries', 400, 'invalid', 'An invalid status', post('/deliveries/retry', { status: 'lost' })),
  step(
    'retryDeliveries',
    200,
    'sent',
    'No delivery of this partner needs attention',
    post('/deliveries/retry', { partnerId: 'nobody' }),
    { keep: remember('retry', 'retryId') },
  ),
  step('listRetries', 200, 'page', 'The newest entries', get('/deliveries/retries?limit=1')),
  step('listRetries', 400, 'invalid', 'An invalid cursor', get('/deliveries/retries?after=x')),
  step('getRetry', 200, 'retry', 'With the first of its deliveries', ({ retry }) =>
    get(`/deliveries/retries/${retry}?limit=1`),
  ),
  step('getRetry', 400, 'invalid', 'An invalid id of a retry', get('/deliveries/retries/last')),
  step('getRetry', 404, 'unknown', 'An unknown retry', get(NO_BET.replace('bets', 'deliveries/retries'))),
  step('showId', 200, 'delivery', 'A delivery by its id', ({ delivery }) => get(`/show/${delivery}`)),
  step('showId', 400, 'invalid', 'An id that is too long', get(`/show/${'x'.repeat(201)}`)),
  step('showId', 404, 'nothing', 'An unknown id', get('/show/nothing')),
  step('retryDelivery', 202, 'again', 'The delivery is due now', ({ delivery }) =>
    post(`/deliveries/${delivery}/retry`),
  ),
  step('retryDelivery', 400, 'invalid', 'An invalid id of a delivery', post('/deliveries/last/retry')),
  step('retryDelivery', 404, 'unknown', 'An unknown delivery', post('/deliveries/999/retry')),
  step('retryDelivery', 409, 'done', 'A delivery that is neither stuck nor rejected', post('/deliveries/1/retry')),
  step(
    'acknowledgeDelivery',
    200,
    'done',
    'Paid by hand',
    ({ delivery }) => post(`/deliveries/${delivery}/acknowledge`, { reason: 'paid by hand, ticket 4711' }),
    {
      before: run(
        `update platform.delivery set status = 'stuck' where delivery_id = (select max(delivery_id) from platform.delivery)`,
      ),
    },
  ),
  step('acknowledgeDelivery', 400, 'invalid', 'Without a reason', post('/deliveries/1/acknowledge', {})),
  step(
    'acknowledgeDelivery',
    404,
    'unknown',
    'An unknown delivery',
    post('/deliveries/999/acknowledge', { reason: 'none' }),
  ),
  step(
    'acknowledgeDelivery',
    409,
    'done',
    'A delivery that is neither stuck nor rejected',
    post('/deliveries/1/acknowledge', { reason: 'none' }),
  ),
  ...changeSteps({ prefix: '', schema: 'platform', run, page: 2, last: 2 }).map(
    ([operationId, status, name, summary, url, more]) => step(operationId, status, name, summary, get(url), more),
  ),
  step('readNow', 200, 'hour', 'The last hour', get('/now')),
  step('listActions', 200, 'page', 'The last changes', get('/actions?limit=2')),
  step('listActions', 400, 'invalid', 'An invalid cursor', get('/actions?after=x')),
]

const keys = keySteps('').map((parts) => step(...parts))

const OPERATIONS = [
  ...new Set([...partners, ...before, ...bets, ...results, ...lists, ...keys].map((s) => s.operationId)),
]
/** The key is checked first, so any request will do. */
const withoutKey = OPERATIONS.map((operationId) =>
  step(operationId, 401, 'wrongKey', 'Another key', get('/bets'), { key: 'another key' }),
)

/** Every call queries the database, so any request will do. */
const unavailable = OPERATIONS.map((operationId, at) =>
  step(operationId, 503, 'unavailable', 'The database is down', get('/bets'), {
    isDown: true,
    ...(at === 0 && { before: loseDatabase }),
  }),
)

async function loseDatabase({ db, deliverer }) {
  await deliverer.stop()
  await closeForGood(db)
}

export const STORY = [partners, before, bets, results, lists, keys, withoutKey, unavailable].flat()
