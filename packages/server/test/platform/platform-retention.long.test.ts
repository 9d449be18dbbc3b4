/**
 * Retention deletes only data that the platform no longer needs. For example, it deletes tokens of
 * finished bets, but keeps tokens of unfinished ones (O-6).
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { refusal, reset } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
})
afterEach(async () => {
  const audit = await run(['audit'], { DATABASE_URL: scene.platform.databaseUrl })
  expect(audit.stdout).toBe('audit: no findings\n')
  await scene.stop()
})

/** Moves everything so far years into the past. */
async function makeOld(): Promise<void> {
  await scene.platform.sql(`
    update platform.bet set placed_at = '2020-01-01', changed_at = '2020-01-01';
    update platform.delivery set finished_at = '2020-01-01' where finished_at is not null;
    update platform.frame_session set created_at = '2020-01-01';
    update platform.change set at = '2020-01-01'`)
}

const yesterday = () => new Date(Date.now() - 86_400_000 - 60_000).toISOString()

async function retention(...flags: string[]) {
  const { code, stdout, stderr } = await run(['retention', '--before', yesterday(), ...flags], {
    DATABASE_URL: scene.platform.databaseUrl,
  })
  return { code, stdout, stderr }
}

/** Where a token is readable; each token of the scene's users has the form `token-…`. */
async function tokens(betId?: string): Promise<string[]> {
  const only = betId === undefined ? '' : `and bet_id = '${betId}'`
  const rows = await scene.platform.sql(`
    select 'bet' as place from platform.bet where token like 'token-%' ${only}
    union all select d.operation from platform.delivery d join platform.message using (delivery_id) where body like '%"token":"token-%' ${only}
    ${betId === undefined ? "union all select 'session' from platform.frame_session where token like 'token-%'" : ''}`)
  return rows.map(({ place }) => String(place)).sort()
}

async function settledBet(): Promise<string> {
  const { betId } = await scene.api.place(scene.frame)
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  return betId
}

async function cancelledBet(): Promise<string> {
  const { betId } = await scene.api.place(scene.frame)
  await scene.api.cancel(betId, 50)
  await scene.time.settle()
  return betId
}

test('the body of a Place bet is stored without its token from the start', async () => {
  const { betId } = await scene.api.place(scene.frame)
  expect(await tokens(betId)).toEqual(['bet'])
  const [sent] = scene.wallet.of('place', betId)
  expect(sent?.body.token).toMatch(/^token-/)
  expect((await scene.api.bet(betId)).deliveries[0]?.request).toMatchObject({ transactionId: betId, amount: 10 })
})

test('a dry run counts the rows and changes nothing', async () => {
  await settledBet()
  await cancelledBet()
  await makeOld()
  const before = await tokens()
  expect(before).toEqual(['session'])
  const { code, stdout } = await retention()
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /4 answers of partners about 2 bets that have ended.*\n.*of 1 frame sessions\n +\d+ rows of the platform's feed.*\n +0 retries of deliveries, 0 sessions.*\nnothing was changed; --apply deletes the data/,
    ),
  })
  expect(await tokens()).toEqual(before)
})

test('retention deletes tokens, answers, profiles and events, and keeps bets, deliveries and the feed', async () => {
  const betIds = [await settledBet(), await cancelledBet()]
  await makeOld()
  const details = await Promise.all(betIds.map(scene.api.bet))
  const { code, stdout } = await retention('--apply', '--json')
  expect(code).toBe(0)
  const nothing = {
    bets: 0,
    attempts: 0,
    frameSessions: 0,
    changes: 0,
    walletChanges: 0,
    retries: 0,
    consoleSessions: 0,
  }
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'applied',
    taken: { bets: 2, attempts: 4, frameSessions: 1 },
    left: nothing,
  })
  expect(await tokens()).toEqual([])
  const [session] = await scene.platform.sql('select profile from platform.frame_session')
  expect(Object.keys(session?.profile as object)).toEqual(['userId', 'currency', 'customFields'])
  for (const [i, betId] of betIds.entries()) {
    const { deliveries } = await scene.api.bet(betId)
    const without = (all: (typeof details)[number]['deliveries']) => all.map(({ attemptList: _, ...rest }) => rest)
    expect(without(deliveries)).toEqual(without(details[i]?.deliveries ?? []))
    expect(deliveries.flatMap(({ attemptList }) => attemptList)).toEqual([])
  }
  expect(JSON.parse((await retention('--apply', '--json')).stdout)).toMatchObject({ taken: nothing })
  const { status, body } = await scene.api.request('GET', '/changes?after=0')
  expect({ status, body }).toMatchObject({ status: 410, body: { code: 'cursor_too_old' } })
})

test('open, waiting, stuck and owed bets keep all the data that they need', async () => {
  const open = await scene.api.place(scene.frame)
  const owed = await scene.api.place(scene.frame)
  scene.wallet.next('settle', refusal(20, 'blocked'))
  await scene.api.settle(owed.betId, 'won', '25.00')
  await scene.time.settle()
  scene.wallet.always('rollback', reset)
  const stuck = await scene.api.place(scene.frame)
  await scene.api.cancel(stuck.betId, 50)
  await scene.time.advance(400_000)
  const waiting = await scene.api.place(scene.frame)
  await scene.api.cancel(waiting.betId, 50)
  await makeOld()
  const kept = [open, owed, stuck, waiting]
  const before = await Promise.all(kept.map(({ betId }) => scene.api.bet(betId)))
  expect(JSON.parse((await retention('--apply', '--json')).stdout)).toMatchObject({ taken: { bets: 0, attempts: 0 } })
  expect(await Promise.all(kept.map(({ betId }) => scene.api.bet(betId)))).toEqual(before)
  scene.wallet.always('rollback', {})
  await scene.time.advance(60_000)
  const { body } = await scene.api.request('POST', '/deliveries/retry', {})
  expect(body).toMatchObject({ taken: 2 })
  await scene.time.settle()
  expect(scene.wallet.of('rollback', stuck.betId).at(-1)?.body.token).toMatch(/^token-/)
})

test('the answers to a payout that was owed for long are kept from the day on which it ended', async () => {
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.next('settle', refusal(20, 'blocked'))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  await makeOld()
  const [settle] = (await scene.api.bet(betId)).deliveries.slice(-1)
  const reason = 'paid by hand, ticket 4711'
  await scene.api.request('POST', `/deliveries/${settle?.deliveryId}/acknowledge`, { reason })
  expect(JSON.parse((await retention('--apply', '--json')).stdout)).toMatchObject({ taken: { bets: 0, attempts: 0 } })
})

test('old retries are deleted with their lists, as are ended sessions of the console, and later ones stay', async () => {
  scene.wallet.always('rollback', reset)
  const { betId } = await scene.api.place(scene.frame)
  await scene.api.cancel(betId, 50)
  const retry = async () => {
    await scene.time.advance(400_000)
    const { body } = await scene.api.request('POST', '/deliveries/retry', {})
    return (body as { retryId: string }).retryId
  }
  const [old, later] = [await retry(), await retry()]
  await scene.platform.sql(
    `update platform.retry set at = '2020-01-01', progress_at = '2020-01-01', finished_at = '2020-01-01' where retry_id = '${old}'`,
  )
  for (const schema of ['purser', 'platform'])
    await scene.platform.sql(`insert into ${schema}.console_session (hash, key_hash, made_at, ends_at)
      values (sha256('old'), sha256('key'), '2020-01-01', '2020-01-01'), (sha256('later'), sha256('key'), '2020-01-01', now())`)
  const taken = { retries: 1, consoleSessions: 2 }
  expect(JSON.parse((await retention('--json')).stdout)).toMatchObject({ kind: 'counted', found: taken })
  const left = { retries: 0, consoleSessions: 0 }
  expect(JSON.parse((await retention('--apply', '--json')).stdout)).toMatchObject({ taken, left })
  const status = async (retryId: string) => (await scene.api.request('GET', `/deliveries/retries/${retryId}`)).status
  expect([await status(old), await status(later)]).toEqual([404, 200])
  expect(await scene.platform.sql('select distinct retry_id from platform.retry_delivery')).toEqual([
    { retry_id: later },
  ])
})

test('a bet that is changed again after retention completes with a placeholder for its token', async () => {
  const betId = await settledBet()
  await makeOld()
  expect((await retention('--apply')).code).toBe(0)
  await scene.api.unsettle(betId)
  await scene.api.cancel(betId, 50)
  await scene.time.settle()
  expect(await scene.api.bet(betId)).toMatchObject({ status: 'cancelled' })
  expect(scene.wallet.of('rollback', betId)[0]?.body.token).toBe('token-is-not-kept')
})

test('a player in an old frame session must reload the frame before the next bet', async () => {
  await makeOld()
  await retention('--apply')
  const selections = [{ eventId: 'derby', outcomeId: 'home', coefficient: '2.5' }]
  const bet = { frameSessionId: scene.frame, amount: '10.00', selections }
  expect((await scene.api.request('POST', '/bets', bet)).status).toBe(404)
  scene.frame = await scene.api.loadFrame(scene.partnerId)
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'accepted' })
})

test.each([
  ['no date', ['retention'], 'the age of the data is missing or given twice: give either --before or --keep-days'],
  ['a word', ['retention', '--before', 'yesterday'], 'Use a day or a time'],
  ['a day that is not over', ['retention', '--before', new Date().toISOString()], 'It must be at least one day ago'],
])('the command rejects %s as the date', async (_what, args, says) => {
  const { code, stderr } = await run(args, { DATABASE_URL: scene.platform.databaseUrl })
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) })
})
