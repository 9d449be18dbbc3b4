/**
 * The first steps of a user in the sandbox work: send the printed bet, open its page, read the
 * output, stop the sandbox.
 */
import { spawnSync } from 'node:child_process'
import { chromium } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { startUntil } from '../cli/command.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function startSandbox(...args: string[]) {
  const sandbox = await startUntil(/Ctrl-C stops it/, ['sandbox', ...args], { PORT: '0', PURSER_DATA_DIR: 'memory://' })
  stops.push(() => sandbox.kill('SIGKILL'))
  const text = sandbox.output()
  const named = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(text)?.[1] as string
  return { sandbox, url: named('Purser wallet'), platform: named('Platform'), named, bet: betOf(text) }
}

/** The printed command. */
function betOf(text: string): string {
  return /^curl -s \S+\/payment\/bet[\s\S]+?\}'$/m.exec(text)?.[0] as string
}

function paste(command: string): string {
  return spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('the sandbox prints one address whose page links to the others, and all of them on request', async () => {
  const { sandbox, url } = await startSandbox('--rate', '0')
  const addresses = () => new Set(sandbox.output().match(/https?:\/\/[^\s/]+/g))
  expect([...addresses()]).toEqual([url])
  expect(
    sandbox
      .output()
      .split('\n')
      .filter((line) => line.endsWith(url) || line.includes(`${url} `)),
  ).toHaveLength(1)
  const page = await (await fetch(`${url}/sandbox`)).text()
  const [, platform = ''] = /Platform<\/th><td><code>(\S+?)<\/code>/.exec(page) ?? []
  expect((await fetch(`${platform}/readyz`)).status).toBe(200)
  expect(page).toContain(`${platform}/docs`)
})

test('the bet of the printed command is placed once however often it is sent, and the summary counts it as the user’s', async () => {
  const { sandbox, url, platform, named, bet } = await startSandbox('--rate', '0', '--addresses')
  const first = paste(bet)
  expect(first).toContain('transactionTime')
  await until('the bet is told', () => /◀ yours +→ debited$/m.test(sandbox.output()))
  expect(paste(bet)).toBe(first)
  await until('its repeat is told', () => /◀ yours +→ debited → again: no 2nd debit$/m.test(sandbox.output()))
  const balances = await fetch(`${url}/operator/players/alice/balances`, bearer(named('Operator key')))
  expect(await balances.json()).toMatchObject({
    balances: [{ currency: 'EUR', amount: '990.00' }, { currency: 'USD' }],
  })
  const bets = await fetch(`${platform}/bets?limit=1`, bearer(named('Platform key')))
  expect(await bets.json()).toEqual({ data: [], next: null })
  expect(await sandbox.kill('SIGTERM')).toBe(0)
  const output = sandbox.output()
  expect(output).toMatch(
    /^note: placed by hand\s+bet \S+\s+player\s+alice\s+platform:\s+nothing\s+\|\s+wallet:\s+open,\s+stake\s+10\.00\s+EUR$/m,
  )
  expect(output.match(new RegExp(named('Operator key'), 'g'))?.length, 'said again at the end').toBeGreaterThan(2)
  expect(output).toContain('audit: no findings')
})

test('the page /sandbox shows the running servers, the keys, and the bet that was just sent by hand', async () => {
  const { url, platform, named, bet } = await startSandbox('--rate', '5', '--addresses')
  paste(bet)
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  stops.push(() => browser.close())
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
  await page.goto(url)
  await page.getByRole('link', { name: 'sandbox page' }).click()
  expect(page.url(), 'as --addresses names it').toBe(named('Keys, last bets'))
  for (const name of ['Partner secret', 'Operator key', 'Platform key'])
    await page.getByText(named(name), { exact: true }).waitFor()
  for (const base of [url, platform]) expect(await page.locator(`a[href="${base}/docs"]`).count()).toBe(1)
  await page.frameLocator('iframe').getByRole('row', { name: 'alice 10.00 EUR open ◀ yours' }).waitFor()
  await page
    .frameLocator('iframe')
    .getByRole('row', { name: /dora|emil|fay|gus|hana|ivo|june|kai/ })
    .first()
    .waitFor()
  const ids = await page.frameLocator('iframe').locator('td code').allTextContents()
  expect(new Set(ids).size, 'each bet has a name of its own').toBe(ids.length)
  await page.getByText(named('Operator key'), { exact: true }).click()
  expect(await page.evaluate('String(getSelection())')).toBe(named('Operator key'))
  expect(problems).toEqual([])
})

test('the sandbox shows no key to a page whose host name was rebound to it, and admits no request without one', async () => {
  const { url, named } = await startSandbox('--rate', '0')
  const curl = (host: string) =>
    spawnSync('curl', ['-s', '-H', `Host: ${host}`, `${url}/sandbox`], { encoding: 'utf8' }).stdout
  expect(curl('localhost:1')).toContain(named('Operator key'))
  const elsewhere = curl('evil.example')
  expect(elsewhere).toContain('Servers')
  for (const name of ['Partner secret', 'Operator key', 'Platform key']) expect(elsewhere).not.toContain(named(name))
  expect(elsewhere).not.toContain('x-sign-jws')
  const signIn = (host: string) => {
    const asked = ['-s', '-X', 'POST', '-H', `Host: ${host}`, '-H', 'x-purser-console: 1', `${url}/console/api/session`]
    return spawnSync('curl', asked, { encoding: 'utf8' }).stdout
  }
  expect(signIn('localhost:1')).toContain('"role":"admin"')
  expect(signIn('evil.example')).toContain('unauthorized')
})

function bearer(key: string) {
  return { headers: { authorization: `Bearer ${key}` } }
}
