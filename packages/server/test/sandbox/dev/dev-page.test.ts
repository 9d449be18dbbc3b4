/** The page of `purser dev` answers callers on this machine, and no page of another site. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevPage, serveDevPage } from '../../../src/sandbox/dev/dev-api.ts'

let page: DevPage
beforeAll(async () => {
  page = await serveDevPage(0, { frame: () => undefined, waitingReason: () => undefined })
})
afterAll(() => page.close())

/** 503: the caller is allowed, and no player is known yet. */
test('a program on this machine is allowed, and another origin is forbidden', async () => {
  const ask = async (headers: Record<string, string>) => (await fetch(`${page.url}/sandbox/frame`, { headers })).status
  expect([await ask({}), await ask({ origin: 'http://example.test' })]).toEqual([503, 403])
})
