// signature.ts computes HMAC-SHA256 in its own way; node:crypto is the reference (S-1). The
// refusals are in packages/server/test/wallet/signature.test.ts.
import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { signBody, verifySignature } from '../src/signature.ts'

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')

function byNode(body: Buffer, secret: string): string {
  const mac = createHmac('sha256', secret).update(`${HEADER}.${body.toString('base64url')}`)
  return `${HEADER}..${mac.digest('base64url')}`
}

const random = (bytes: number) => randomBytes(bytes).toString('latin1')
const SECRETS = [
  ...['', 's', 'a secret with é, ₿ and 🏇', random(31), random(32)],
  ...[63, 64, 65, 1_000].map((bytes) => randomBytes(bytes).toString('hex').slice(0, bytes)),
]
const BODY_BYTES = [0, 1, 2, 3, 63, 64, 720, 12_000, 12_206, 12_207, 12_208, 12_209, 12_300, 262_144, 300_000]

test.each(SECRETS.map((secret) => ({ bytes: Buffer.byteLength(secret), secret })))(
  'a secret of $bytes bytes signs bodies of every length as node:crypto does',
  ({ secret }) => {
    for (const bytes of BODY_BYTES) {
      const body = randomBytes(bytes)
      expect(signBody(body, secret)).toBe(byNode(body, secret))
      expect(verifySignature(signBody(body, secret), body, ['another', secret])).toBe(true)
      expect(verifySignature(signBody(body, secret), Buffer.concat([body, Buffer.of(0)]), [secret])).toBe(false)
    }
  },
)

test('a slice of a larger buffer is signed alone, and a long body leaves no bytes for the next one', () => {
  const all = randomBytes(40_000)
  for (const [start, end] of [
    [0, 40_000],
    [7, 19],
    [20, 20],
    [1, 39_999],
  ] as const) {
    const body = all.subarray(start, end)
    expect(signBody(body, 's')).toBe(byNode(Buffer.from(body), 's'))
  }
})

test('more secrets than the cache holds sign correctly', () => {
  const body = Buffer.from('{}')
  for (let i = 0; i < 2_500; i++) expect(signBody(body, `secret ${i}`)).toBe(byNode(body, `secret ${i}`))
  expect(signBody(body, 'secret 0')).toBe(byNode(body, 'secret 0'))
})

test('a signature with one different character, or another spelling of its last one, is rejected', () => {
  const body = Buffer.from('{"a":1}')
  const good = signBody(body, 's')
  const start = good.length - 43
  for (let at = start; at < good.length; at++) {
    const other = good[at] === 'A' ? 'B' : 'A'
    expect(verifySignature(good.slice(0, at) + other + good.slice(at + 1), body, ['s'])).toBe(false)
  }
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const spellings = [...letters].filter((last) => verifySignature(good.slice(0, -1) + last, body, ['s']))
  expect(spellings).toEqual([good.at(-1)])
})
