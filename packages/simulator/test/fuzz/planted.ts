/**
 * Faults that the fuzzer must find: our code with one error each. A judge proves something only if
 * it finds these faults.
 */
import { createHmac } from 'node:crypto'
import { parseJson } from '@purser/protocol/values/exact-json'
import { money } from '@purser/protocol/values/money'
import type { Target } from './target.ts'
import { CODE as CONSOLE, consoleTarget } from './targets/console.ts'
import { CODE as CSV, csvTarget } from './targets/csv.ts'
import { CODE as DECODE, decodeTarget } from './targets/decode.ts'
import { CODE as MONEY, moneyTarget } from './targets/money.ts'
import { CODE as SIGNATURE, signatureTarget } from './targets/signature.ts'
import { CODE as SPLICE, spliceTarget } from './targets/splice.ts'
import { CODE as WEBHOOK, webhookTarget } from './targets/webhook.ts'

export interface PlantedFault {
  readonly what: string
  readonly target: Target
}

const text = (bytes: Buffer) => bytes.toString('utf8')

const decode = (what: string, change: (body: Buffer) => Buffer): PlantedFault => ({
  what,
  target: decodeTarget({
    ...DECODE,
    decodeBetCall: (method, body, settings) => DECODE.decodeBetCall(method, change(body), settings),
  }),
})

/** Accepts any first part, if the rest is right. */
const takesAnyHeader: typeof SIGNATURE.signerOf = (header, body, secrets) => {
  const [first = '', middle, last] = String(header).split('.')
  const mac = (secret: string) =>
    createHmac('sha256', secret)
      .update(`${first}.${Buffer.from(body).toString('base64url')}`)
      .digest('base64url')
  const place = middle === '' ? secrets.findIndex((secret) => mac(secret) === last) : -1
  return place === -1 ? undefined : place
}

/** Rescans all earlier characters again and again. */
function looksBack(bytes: Buffer): Buffer {
  const all = text(bytes)
  let depth = 0
  for (let at = 0; at < all.length; at += 512) depth += MONEY_STEPS(all.slice(0, at))
  return depth < 0 ? Buffer.alloc(0) : bytes
}
const MONEY_STEPS = (before: string) => (MONEY.isExactNumber(before.replaceAll(/[^0]/g, '0')) ? 1 : 0)

export const PLANTED: readonly PlantedFault[] = [
  {
    what: 'any text is a part of a cursor',
    target: consoleTarget({
      ...CONSOLE,
      decodeParts: (after) => {
        try {
          return CONSOLE.decodeParts(after, 3)
        } catch {
          return JSON.parse(
            Buffer.from(after ?? '', 'base64url')
              .toString('utf8')
              .replace(/^[^[]*$/, '[]'),
          ) as string[]
        }
      },
    }),
  },
  {
    what: 'the offset of a time is not looked at',
    target: consoleTarget({
      ...CONSOLE,
      toTime: (text, at) => CONSOLE.toTime(text.replace(/[+-]\d\d:\d\d$/, 'Z'), at),
    }),
  },
  {
    what: 'what is no step of a saved bet is left out',
    target: consoleTarget({
      ...CONSOLE,
      readRecorded: (text) =>
        text
          .split(';')
          .reduce<ReturnType<typeof CONSOLE.readRecorded>>(
            (known, part) => [...(known ?? []), ...(CONSOLE.readRecorded(part) ?? [])],
            undefined,
          ),
    }),
  },
  decode('bytes that are no UTF-8 are taken', (body) => Buffer.from(text(body))),
  decode('numbers are rounded before they are read', (body) => {
    try {
      return Buffer.from(JSON.stringify(JSON.parse(text(body))))
    } catch {
      return body
    }
  }),
  decode('spaces around texts are taken away', (body) => Buffer.from(text(body).replaceAll(/" | "/g, '"'))),
  decode('the work grows with the square of the body', looksBack),
  { what: 'any first part of a header is taken', target: signatureTarget({ ...SIGNATURE, signerOf: takesAnyHeader }) },
  {
    what: 'a header is taken with space around it',
    target: signatureTarget({
      ...SIGNATURE,
      signerOf: (header, body, secrets) => SIGNATURE.signerOf(String(header).trim(), body, secrets),
    }),
  },
  {
    what: 'the console does not look at the members of the first part',
    target: signatureTarget({
      ...SIGNATURE,
      checkSignature: async (...given) =>
        (await SIGNATURE.checkSignature(...given)).filter(
          ({ description }) => !/^The first part has no member/.test(description),
        ),
    }),
  },
  {
    what: 'a decimal is read with a double',
    target: moneyTarget({
      ...MONEY,
      parseDecimal(written, scale) {
        const read = MONEY.parseDecimal(written, scale)
        return read === undefined ? undefined : money(BigInt(Number(read)))
      },
    }),
  },
  {
    what: 'amounts come through JSON.parse alone',
    target: moneyTarget({ ...MONEY, parseJson: (body) => JSON.parse(body) }),
  },
  {
    what: 'a limit is compared in the scale of the amount',
    target: moneyTarget({
      ...MONEY,
      isAboveLimit: (amount, scale, limit) => MONEY.isAboveLimit(amount, scale, limit.split('.')[0] ?? '0'),
    }),
  },
  {
    what: 'a zero too many is taken from the end',
    target: moneyTarget({
      ...MONEY,
      formatShortest: (amount, scale) => MONEY.formatMoney(amount, scale).replace(/\.?0+$/, ''),
    }),
  },
  {
    what: 'a call is parsed and printed again',
    target: spliceTarget({
      ...SPLICE,
      toOperator: (...given) => Buffer.from(JSON.stringify(JSON.parse(text(SPLICE.toOperator(...given))))),
    }),
  },
  {
    what: 'the answer about another player is passed on',
    target: spliceTarget({
      ...SPLICE,
      toPlatform(call, route, answer) {
        try {
          return SPLICE.toPlatform(call, route, answer)
        } catch {
          return answer.body
        }
      },
    }),
  },
  {
    what: 'the operator’s token stays in an answer',
    target: spliceTarget({
      ...SPLICE,
      toPlatform: (call, route, answer) => SPLICE.toPlatform({ ...call, token: undefined }, route, answer),
    }),
  },
  {
    what: 'numbers of a body that is passed on are read as money',
    target: spliceTarget({
      ...SPLICE,
      readCall(endpoint, method, bytes) {
        const call = SPLICE.readCall(endpoint, method, bytes)
        return { ...call, text: call.text.replace(/\d{16,}/, (digits) => JSON.stringify(parseJson(digits))) }
      },
    }),
  },
  {
    what: 'IPv4 inside of IPv6 is not looked at',
    target: webhookTarget({
      ...WEBHOOK,
      findFault: async (url, reach) =>
        WEBHOOK.findFault(url, { ...reach, privateAddresses: reach.privateAddresses || /ffff:/i.test(url) }),
    }),
  },
  {
    what: 'a webhook is signed with milliseconds',
    target: webhookTarget({
      ...WEBHOOK,
      headersOf: (message, secrets, at) => WEBHOOK.headersOf(message, secrets, new Date(at.getTime() * 1_000)),
    }),
  },
  {
    what: 'a broken file is a crash',
    target: csvTarget({
      ...CSV,
      async openPlatformCsv(path) {
        try {
          return await CSV.openPlatformCsv(path)
        } catch (error) {
          throw new Error('it crashed', { cause: error })
        }
      },
    }),
  },
  {
    what: 'the last bet of a file is forgotten',
    target: csvTarget({
      ...CSV,
      async openPlatformCsv(path) {
        const { pages, close } = await CSV.openPlatformCsv(path)
        async function* shorter() {
          for await (const page of pages) yield page.slice(0, -1)
        }
        return { pages: shorter(), close }
      },
    }),
  },
]
