/**
 * Each command and server rejects a base URL with a part that no call would send, for example a
 * query, and names the remedy.
 */

import type { ConformanceDeps } from '@purser/conformance/conformance-command'
import { type LoadFlags, parseLoadOptions } from '@purser/conformance/load/load-options'
import {
  type ConformancePlatformFlags,
  runConformancePlatform,
} from '@purser/conformance/platform/platform-conformance-command'
import {
  type ConformanceWalletFlags,
  runConformanceWallet,
} from '@purser/conformance/wallet/wallet-conformance-command'
import { getFromApi } from '@purser/protocol/client/api-client'
import { findUrlFault, trimEndSlashes, type UrlUse } from '@purser/protocol/values/base-url'
import { describe, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { runReconcile } from '../../src/reconcile/reconcile-command.ts'

const REFUSED: [string, string][] = [
  ['', 'is not a URL of http or https: write it as in'],
  ['wallet.example', 'is not a URL of http or https: write it as in'],
  ['ftp://wallet.example', 'is not a URL of http or https: write it as in'],
  ['https:wallet.example', 'is not a URL of http or https: write it as in'],
  ['https://', 'is not a URL of http or https: write it as in'],
  [' https://wallet.example', 'must not contain spaces or control characters: remove them'],
  ['https://wallet.example/a b', 'must not contain spaces or control characters: remove them'],
  ['https://wallet.example\n', 'must not contain spaces or control characters: remove them'],
  ['https://ann@wallet.example', 'must not contain a user or a password: leave them out'],
  ['https://:pass@wallet.example', 'must not contain a user or a password: leave them out'],
  ['https://wallet.example/?key=1', 'must not have a query or a fragment: leave it out'],
  ['https://wallet.example/w?', 'must not have a query or a fragment: leave it out'],
  ['https://wallet.example/#top', 'must not have a query or a fragment: leave it out'],
]
const INTERFACE: [string, string][] = [
  ['https://wallet.example/payment/bet', 'must not end in /payment/bet: leave /payment/bet out'],
  ['https://wallet.example/v1//payment//bet//', 'must not end in /payment/bet: leave /payment/bet out'],
  ['https://wallet.example/user/profile', 'must not end in /user/profile: leave /user/profile out'],
  ['https://wallet.example/user/balance/', 'must not end in /user/balance: leave /user/balance out'],
  ['https://wallet.example/payment/check', 'must not end in /payment/check: leave /payment/check out'],
]
const TAKEN = [
  'https://wallet.example',
  'HTTPS://Wallet.Example:8443/',
  'http://127.0.0.1:8080/partner/v1//',
  'http://[::1]:8080',
  'https://wallet.example/payment/bets',
]

const LOAD: LoadFlags = {
  ...{ baseUrl: 'http://127.0.0.1:1', secret: 'shared', players: '20', operatorKey: 'key', rate: '1', duration: '1' },
  ...{ mix: 'place=1', stake: '1-5', zipf: '1', workers: '1', connections: '1', patience: '1' },
}
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
const load = (over: Partial<LoadFlags>) => parseLoadOptions({ ...LOAD, ...over }, {}).then(() => 'taken', messageOf)

async function ofKit(run: (deps: ConformanceDeps) => Promise<number>): Promise<string> {
  const printed: string[] = []
  const out = { write: (text: string) => void printed.push(text) }
  const code = await run({
    stdout: out,
    stderr: out,
    program: 'purser conformance',
    noColour: true,
    signal: new AbortController().signal,
  })
  return `${code} ${printed.join('')}`
}

const wallet = (flags: ConformanceWalletFlags) => ofKit((deps) => runConformanceWallet({ secret: 's', ...flags }, deps))
const platform = (flags: Partial<ConformancePlatformFlags>) =>
  ofKit((deps) => runConformancePlatform({ host: '127.0.0.1', listen: '0', platformKey: 'key', ...flags }, deps))
const reconcile = (operatorApi: string) =>
  runReconcile({ operatorApi, operatorKey: 'key' }, CONFIG, () => {}).then(() => 'taken', messageOf)
const CONFIG = readConfig({ DATABASE_URL: 'postgres://purser@127.0.0.1:1/purser' }, PROCESS_ROLES.tool)

type UrlReader = (url: string) => Promise<string>
const OF_WALLETS: readonly [string, UrlReader][] = [
  ['load --base-url', (baseUrl) => load({ baseUrl })],
  ['conformance wallet --base-url', (baseUrl) => wallet({ baseUrl, fixtures: 'players.json' })],
  ['conformance platform --public-url', (publicUrl) => platform({ publicUrl })],
]
const OF_APIS: readonly [string, UrlReader][] = [
  ['load --operator-api', (operatorApi) => load({ operatorApi })],
  [
    'conformance wallet --operator-api',
    (operatorApi) => wallet({ baseUrl: 'http://127.0.0.1:1', operatorApi, operatorKey: 'key' }),
  ],
  ['conformance platform --platform-api', (platformApi) => platform({ platformApi })],
  ['reconcile --operator-api', reconcile],
  ['commands that read an API', (url) => getFromApi({ url, key: 'key' }, '/x').then(() => 'taken', messageOf)],
]

describe('a base URL', () => {
  test.each([...REFUSED, ...INTERFACE])('is rejected when it is %j: %s', (url, fault) => {
    expect(findUrlFault(url, 'wallet')).toContain(fault)
  })
  test.each(TAKEN)('is accepted when it is %s', (url) => expect(findUrlFault(url, 'wallet')).toBeUndefined())
})

test.each<[UrlUse, string]>([
  ['api', 'https://purser.example/payment/bet'],
  ['webhook', 'https://crm.example/payment/bet?key=1#top'],
])('a base URL of kind %s may contain a path of the interface, because none is appended: %s', (use, url) => {
  expect(findUrlFault(url, use)).toBeUndefined()
})

test.each([
  ['https://wallet.example/v1//', 'https://wallet.example/v1'],
  ['https://wallet.example', 'https://wallet.example'],
  ['///', ''],
])('a path is appended to %s without a second slash', (url, base) => expect(trimEndSlashes(url)).toBe(base))

test.each(OF_WALLETS)('%s rejects each base URL of a wallet with the remedy', async (_option, given) => {
  for (const [url, fault] of [...REFUSED, ...INTERFACE]) expect(await given(url), url).toContain(fault)
})

test.each(OF_APIS)('%s rejects each base URL of an API, except paths of the interface', async (_option, given) => {
  for (const [url, fault] of REFUSED) expect(await given(url), url).toContain(fault)
})
