/**
 * Takes pictures of each console page in states that no guide shows: empty, loading, errors, long
 * names, and unfolded details. Each state is taken in light and dark colours and on a phone screen.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createApiCaller, createWireCaller, startSandbox, startServerAlone } from './servers.mjs'

const SHAPES = [
  ['light', 1280, ''],
  ['dark', 1280, '-dark'],
  ['light', 360, '-phone'],
]
const HEIGHT = 860
/** Milliseconds for content that appears after the page. */
const SETTLE_MS = 400
const OF_WALLET = [
  'now',
  'bets',
  'calls',
  'players',
  'money',
  'money/transfers',
  'reports',
  'settings',
  'conformance',
  'find?q=nothing-of-ours',
]
const OF_PLATFORM = ['now', 'bets', 'deliveries', 'settings']
const LONG = 'a-name-that-is-as-long-as-a-name-may-be-and-has-no-place-to-break'.slice(0, 64)

/** `only` has names or beginnings of names; an empty list takes all. */
export async function takeStates(browser, folder, only) {
  const isWanted = (name) => only.length === 0 || only.some((one) => name.startsWith(one))
  const wanted = { folder, isWanted }
  const isAny = (...names) => names.some((name) => isWanted(name) || only.some((one) => one.startsWith(name)))
  if (isAny('empty', 'loading', 'error', 'long', 'webhooks')) await alone(browser, wanted, 'wallet', ofWallet)
  if (isAny('empty-platform')) await alone(browser, wanted, 'platform', ofPlatform)
  if (isAny('schedule', 'signature', 'what-if', 'adjust', 'opened', 'reconciled')) await inPlay(browser, wanted)
}

async function ofWallet(see, { ask, call }) {
  for (const path of OF_WALLET) await see(`empty-${nameOf(path)}`, path)
  await ask('POST', '/operator/players', { userId: 'nobody-yet', currency: 'EUR' })
  await see('empty-player', 'players/nobody-yet')
  for (const path of [...OF_WALLET, 'players/nobody-yet', 'bets/no-such-bet-1']) {
    await see(`loading-${nameOf(path)}`, path, { route: () => new Promise(() => {}), isLoading: true })
    await see(`error-${nameOf(path)}`, path, { route: broken })
  }
  await see('error-offline', 'bets', { route: (route) => route.abort() })
  await longNames(ask, call)
  for (const path of [
    'players',
    `players/${LONG}`,
    'money',
    'money/transfers',
    'reports?by=site',
    'settings',
    'bets',
    `bets/${LONG}/${BETS[1]}`,
  ])
    await see(`long-${nameOf(path)}`, path)
  await webhooks(ask, () => see('webhooks', 'settings'))
}

async function ofPlatform(see) {
  for (const path of OF_PLATFORM) await see(`empty-platform-${nameOf(path)}`, path)
}

const nameOf = (path) =>
  path
    .replace(/\?.*/, '')
    .replace(/^(players|bets)\/.*/, (_, of) => of.slice(0, -1))
    .replace('/', '-')
/** True for the API calls of a page, false for the page itself. */
const isAsked = ({ pathname }) => /^\/(operator|bets|deliveries|partners|events|sandbox|now)\b/.test(pathname)
const broken = (route) =>
  route.fulfill({
    status: 503,
    contentType: 'application/problem+json',
    body: '{"title":"unavailable","detail":"the database does not answer"}',
  })

async function alone(browser, wanted, what, work) {
  const server = await startServerAlone(what)
  try {
    await work(await seeing(browser, wanted, server), { ask: createApiCaller(server), call: createWireCaller(server) })
  } finally {
    server.stop()
  }
}

/** A signed-in page for each shape; `see` opens one address in each shape. */
async function seeing(browser, { folder, isWanted }, { url, key }) {
  const pages = []
  for (const [colorScheme, width, suffix] of SHAPES) {
    const context = await browser.newContext({
      viewport: { width, height: HEIGHT },
      colorScheme,
      reducedMotion: 'reduce',
    })
    const body = key === undefined ? {} : { key }
    await context.request.post(`${url}/console/api/session`, { headers: { 'x-purser-console': '1' }, data: body })
    pages.push({ page: await context.newPage(), suffix, width })
  }
  return async (name, path, { route, isLoading = false, act } = {}) => {
    if (!isWanted(name)) return
    for (const { page, suffix, width } of pages) {
      if (route) await page.route(isAsked, route)
      await page.goto(`${url}/console/${path}`)
      await page.locator('main h1').waitFor() // the script of the page has started
      if (route && !isLoading) await page.locator('[role=alert], .notice').first().waitFor() // after the retry
      if (!isLoading) await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      await act?.(page)
      await page.waitForTimeout(SETTLE_MS)
      const height = Math.max(HEIGHT, await page.evaluate('document.documentElement.scrollHeight'))
      await page.setViewportSize({ width, height: Math.min(height, 3_000) })
      await page.screenshot({ path: `${folder}${name}${suffix}.png` })
      await page.setViewportSize({ width, height: HEIGHT })
      if (route) await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    process.stdout.write(`pictures/${name}.png\n`)
  }
}

async function longNames(ask, call) {
  const profile = { nickname: LONG, email: `${LONG.slice(0, 50)}@person.example`, firstName: LONG }
  await ask('POST', '/operator/players', {
    userId: LONG,
    currency: 'EUR',
    currencies: ['EUR', 'JPY'],
    brand: LONG.slice(0, 60),
    customFields: profile,
  })
  await ask('PATCH', `/operator/players/${LONG}`, {
    limits: { stake: '123456789012.00', betCount: 1_000_000 },
    verified: true,
  })
  for (const [currency, amount] of [
    ['EUR', '123456789012.34'],
    ['JPY', '99999999999999'],
  ])
    await ask('POST', `/operator/players/${LONG}/deposits`, { currency, amount, reference: `${LONG}-${currency}` })
  const from = { ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348', country: 'NO' }
  const { token } = await ask('POST', `/operator/players/${LONG}/sessions`, from)
  await longBets(call, token)
  await ask('POST', `/operator/players/${LONG}/personal-data`)
  for (const role of ['read', 'support', 'admin'])
    await ask('POST', '/operator/keys', { name: `${role}.${LONG}`.slice(0, 64), role })
}

const BETS = ['5b0b2d64-0f0e-4c5e-9d3c-6c1d0f3f7a01', '5b0b2d64-0f0e-4c5e-9d3c-6c1d0f3f7a02']

/** One bet is open; one has a very large payout. */
async function longBets(call, token) {
  const words = LONG.replaceAll('-', ' ')
  const event = `${words} – ${words}`
  const selection = { ...SELECTION, discipline: words, tournament: words, event, market: words, outcome: words }
  const terms = { coefficient: 1_234.567, bonusId: null, bonusTemplateId: null, ticketType: 'single' }
  const common = { userId: LONG, currency: 'EUR', gameType: 'sportsbook', ...terms }
  const place = { ...common, type: 1, token, amount: 12_345_678.9, ip: '203.0.113.7', info: words, bonusAmount: null }
  for (const transactionId of BETS)
    await call('POST', { ...place, transactionId, requestId: randomUUID(), metadata: [selection] })
  const won = { ...common, type: 2, amount: 9_876_543_210.12, resultType: 'won' }
  await call('PUT', { ...won, transactionId: BETS[1], requestId: randomUUID() })
}
const SELECTION = {
  ...{ disciplineId: 1, tournamentId: 77, tournamentRegionCode: 'NO', eventId: 4711, eventDate: '2031-05-16 18:00:00' },
  ...{ marketId: 1, outcomeId: 2, coefficient: 1_234.567, stage: 1 },
}

/** A consumer that accepts events, and a second consumer that fails. */
async function webhooks(ask, see) {
  const consumer = createServer((request, response) => {
    request.resume()
    response.writeHead(request.url === '/deaf' ? 500 : 200).end()
  })
  await new Promise((resolve) => consumer.listen(0, '127.0.0.1', resolve))
  const { port } = consumer.address()
  for (const name of ['crm', 'deaf']) {
    await ask('PUT', `/operator/webhooks/${name}`, { url: `http://127.0.0.1:${port}/${name}` })
    await ask('POST', `/operator/webhooks/${name}/test`)
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000)) // both consumers have been called
  await see()
  consumer.close()
}

/** Half the calls fail, so that some call is always retried. */
async function inPlay(browser, wanted) {
  const sandbox = await startSandbox(['--rate', '6', '--faults', '0.5'])
  try {
    const ask = createApiCaller(sandbox)
    const see = await seeing(browser, wanted, { url: sandbox.url })
    await ask('POST', '/sandbox/frame/money')
    const lost = await ask('POST', '/sandbox/frame/troubles', { trouble: 'correct' })
    const open = (page, name) => page.getByRole('button', { name }).first().click()
    await see('schedule', 'deliveries', { act: (page) => page.waitForTimeout(SETTLE_MS) })
    await see('signature', 'calls', {
      act: async (page) => {
        await page.getByText('Signature debugger').click()
      },
    })
    await see('what-if', `bets/${lost.betIds[0]}`, {
      act: (page) => page.locator('[data-moment^="call"]').first().click(),
    })
    await see('what-if-resettle', `bets/${lost.betIds[0]}`, {
      act: (page) => page.locator('[data-moment^="call"]').last().click(),
    })
    await see('adjust', 'players/robin', { act: (page) => open(page, 'Adjust') })
    await see('opened', 'players/robin', {
      act: (page) => page.getByRole('region', { name: 'Personal data' }).getByRole('button').click(),
    })
    await see('reconciled', 'money', {
      act: async (page) => {
        await open(page, 'Compare with the platform')
        await page.locator('.books').waitFor()
      },
    })
  } finally {
    sandbox.stop()
  }
}
