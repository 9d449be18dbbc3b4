/**
 * Fuzzes webhooks: an address in our own network is refused in any spelling (O-17), and messages
 * are signed.
 *
 * The signature follows Standard Webhooks (W-42).
 */
import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { findAddressFault } from '@purser/protocol/client/network/ssrf-guard'
import { ANYWHERE } from '@purser/protocol/values/base-url'
import { buildWebhookHeaders } from 'purser/core/webhooks/webhook-signature'
import type { Chance } from '../chance.ts'
import { type Parts, textParts } from '../corpus.ts'
import { mutateBytes } from '../mutate.ts'
import { firstOf, type Target, textOf } from '../target.ts'

const URLS = [
  ...[
    'http://127.0.0.1/',
    'https://10.1.2.3:8443/hook',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'ftp://1.1.1.1/',
  ],
  ...[
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://1.1.1.1/',
    'https://[2606:4700::1111]/a',
  ],
  ...[
    'http://user:pass@1.1.1.1/',
    'http://1.1.1.1/?a=b',
    'http://1.1.1.1/#a',
    'http://0177.0.0.1/',
    'HTTP://169.254.169.254',
  ],
]
const OF_SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='
const SEEDS = URLS.map((url) =>
  textParts({ url, id: 'msg_1', body: '{"a":1}', secrets: `${OF_SECRET}\n${OF_SECRET}`, at: '1790000000000' }),
)

export const CODE = { findFault: findAddressFault, headersOf: buildWebhookHeaders }

export function webhookTarget(code: typeof CODE = CODE): Target {
  return { name: 'webhook', seeds: SEEDS, mutate, grows: ['url', 'body'], judge: (parts) => judge(parts, code) }
}

function mutate(chance: Chance, parts: Parts): Parts {
  const url = chance.oneIn(3)
    ? mutateBytes(chance, parts.url ?? Buffer.alloc(0))
    : Buffer.from(`http${chance.oneIn(2) ? 's' : ''}://${host(chance)}${chance.pick(['', '/', ':80/x', '/a/b'])}`)
  const body = mutateBytes(chance, parts.body ?? Buffer.alloc(0))
  return { ...parts, url, body, at: Buffer.from(String(chance.below(2 ** 31) * 1_000 + chance.below(1_000))) }
}

const NETWORKS = [
  0x00000000, 0x0a000000, 0x64400000, 0x7f000000, 0xa9fe0000, 0xac100000, 0xc0a80000, 0x01010101, 0xffffffff,
]

/** An IPv4 address, alone or in IPv6, in one of the spellings of a URL. */
function host(chance: Chance): string {
  const near =
    chance.pick(NETWORKS) +
    chance.pick([0, 1, -1, 255, 0xffff, 0x10000, 0x3fffff, 0x400000, 0xfffff, 0x100000, 0xffffff, 0x1000000])
  const value = (near + 2 ** 32) % 2 ** 32
  const parts = [24, 16, 8, 0].map((shift) => Math.trunc(value / 2 ** shift) % 256)
  const [high, low] = [Math.trunc(value / 65_536), value % 65_536].map((part) => part.toString(16)) as [string, string]
  const eight = () => Array.from({ length: 8 }, () => chance.below(65_536).toString(16)).join(':')
  const prefixed = `${chance.pick(['fc00', 'fdff', 'fe80', 'febf', 'fec0', 'fe7f', 'fbff', '2001'])}${eight().slice(eight().indexOf(':'))}`
  return chance.pick([
    ...[
      parts.join('.'),
      String(value),
      `0x${value.toString(16)}`,
      parts.map((part) => `0${part.toString(8)}`).join('.'),
    ],
    ...[
      `${parts[0]}.${value % 2 ** 24}`,
      `${parts.join('.')}.`,
      `[::ffff:${parts.join('.')}]`,
      `[::FFFF:${high}:${low}]`,
    ],
    ...[
      `[0:0:0:0:0:ffff:${high}:${low}]`,
      `[${prefixed.split(':').slice(0, 8).join(':')}]`,
      '[::]',
      '[::1]',
      `[${eight()}]`,
    ],
  ])
}

async function judge(parts: Parts, code: typeof CODE): Promise<string | undefined> {
  return firstOf([await ofAddress(textOf(parts, 'url'), code), ofHeaders(parts, code)])
}

async function ofAddress(text: string, code: typeof CODE): Promise<string | undefined> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isHttp = url !== undefined && /^https?:\/\//i.test(text)
  // A name would cause a query on the network.
  if (isHttp && isIP(host) === 0 && !text.includes('?') && !text.includes('#')) return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the parser drops them
  const isWhole = !/[?#\s\u0000-\u001f\u007f]/.test(text)
  const mayBeTaken = isHttp && isWhole && url.username === '' && url.password === ''
  const [open, closed] = [
    await code.findFault(text, ANYWHERE),
    await code.findFault(text, { ...ANYWHERE, privateAddresses: false }),
  ]
  return firstOf([
    (open === undefined) !== mayBeTaken && `an address is ${mayBeTaken ? 'refused' : 'taken'}: ${text.slice(0, 80)}`,
    (closed === undefined) !== (mayBeTaken && !isInside(host)) &&
      `an address ${isInside(host) ? 'inside is taken' : 'outside is refused'}: ${text.slice(0, 80)}`,
  ])
}

/**
 * IANA's special-purpose registries and multicast; IPv4 in IPv6 counts as the IPv4 address. `host`:
 * as in a URL.
 */
function isInside(host: string): boolean {
  if (isIP(host) === 4)
    return isInside4(host.split('.').reduce((value, part) => value * 256 + Number.parseInt(part, 10), 0))
  const [head = '', tail] = host.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16)))
  const [front, back] = [groups(head), groups(tail ?? '')]
  const all = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back]
  const [sixth, seventh = 0, last = 0] = all.slice(5)
  const text = all.map((part) => part.toString(16).padStart(4, '0')).join('')
  if (text.startsWith('0064ff9b'.padEnd(24, '0'))) return isInside4(seventh * 65_536 + last)
  if (text.startsWith('0'.repeat(20)) && sixth === 0xffff) return isInside4(seventh * 65_536 + last)
  return INSIDE_6.test(text)
}

/** Matched against the hexadecimal digits. */
const INSIDE_6 =
  /^(0{24}|0{16}ffff0000|0064ff9b0001|0100000000000000|0100000000000001|2001(00|01)|20010db8|2002|2620004f8000|3fff0|5f00|f[cd]|fe[89a-f]|ff)/

/** Matched against the beginning. */
const INSIDE_4 =
  /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(0\.0|0\.2|31\.196|52\.193|88\.99|168|175\.48)|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|198\.(1[89]|51\.100)|203\.0\.113|22[4-9]|2[345]\d)\./

function isInside4(value: number): boolean {
  return INSIDE_4.test([24, 16, 8, 0].map((bits) => Math.trunc(value / 2 ** bits) % 256).join('.'))
}

function ofHeaders(parts: Parts, code: typeof CODE): string | undefined {
  const [id, body, at] = [textOf(parts, 'id'), textOf(parts, 'body'), Number.parseInt(textOf(parts, 'at'), 10) || 0]
  const secrets = textOf(parts, 'secrets').split('\n')
  const headers = code.headersOf({ id, body }, secrets, new Date(at))
  const seconds = String((at - (at % 1_000)) / 1_000)
  const wanted = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.`).update(Buffer.from(body)).digest('base64')}`
  })
  return firstOf([
    headers['webhook-timestamp'] !== seconds && `another time: ${headers['webhook-timestamp']} instead of ${seconds}`,
    headers['webhook-id'] !== id && 'another id',
    headers['webhook-signature'] !== wanted.join(' ') && 'another signature',
  ])
}
