/**
 * The reference of the sandbox's API lists exactly the calls of this API, each with the role that
 * it needs (U-1).
 */
import { readFileSync } from 'node:fs'
import { createLogger } from '@purser/runtime/logger'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { DEV_TROUBLES } from '../../src/sandbox/dev/troubles/dev-troubles.ts'
import { FAULT_SCENARIOS } from '../../src/sandbox/frame/fault-scenarios.ts'
import { addSandboxApi } from '../../src/sandbox/frame/sandbox-api.ts'
import { addFrontPage } from '../../src/sandbox/front-page.ts'

const page = readFileSync(new URL('../../../../docs/reference/sandbox-api.md', import.meta.url), 'utf8')

const devPage = readFileSync(new URL('../../../../docs/reference/dev.md', import.meta.url), 'utf8')

test('the reference of purser dev lists exactly its troubles', () => {
  const [, section = ''] = devPage.split('## Troubles')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(Object.keys(DEV_TROUBLES))
})

/** The rows in the form of the page. */
async function served(): Promise<string[]> {
  const app = Fastify({ exposeHeadRoutes: false })
  const rows: string[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    // A route with several methods only answers 405 with Allow.
    if (Array.isArray(method)) return
    const { role = '–' } = (config ?? {}) as { role?: string }
    const path = url.replace(/:(\w+)/g, '{$1}')
    if (path.startsWith('/sandbox') && !path.endsWith('*')) rows.push(`${method} ${path} ${role}`)
  })
  addFrontPage(app, () => undefined)
  const noSessions = { find: async () => undefined } as never
  addSandboxApi(app, { admission: noSessions, log: createLogger('silent'), parts: () => undefined })
  await app.ready()
  await app.close()
  return rows
}

test('the reference of the sandbox’s API lists every call with its role, and every scenario', async () => {
  const documented = [...page.matchAll(/^\| `(\w+ \S+)` \| (\S+) \|/gm)].map(([, call, role]) => `${call} ${role}`)
  expect(documented.sort()).toEqual((await served()).sort())
  for (const trouble of Object.keys(FAULT_SCENARIOS)) expect(page).toContain(`\`${trouble}\``)
})
