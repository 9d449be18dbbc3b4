// Every call without an exactly correct signature is 400 code 1, with any other content (S-1 to
// S-3). The answer gives no details, and no money moves.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered, expectRefused, member } from './answers.ts'
import { brokenSignatures } from './broken-signatures.ts'
import { jws } from './jws.ts'
import { messageNames, messageOf, mustSucceed, routes, sceneFor, typicalMessages } from './messages.ts'
import { type RawAnswer, sendRaw, sendSigned } from './raw-http.ts'
import { balanceOf, type Scene, stateOf } from './scene.ts'

interface Vector {
  source: string
  header: string
  body: string
  signature: string
}
const file: { secret: string; vectors: Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../docs/reference/signature-vectors.json', import.meta.url), 'utf8'),
)

let wallet: TestWallet

function walletWith(env: Record<string, string>): void {
  beforeAll(async () => {
    wallet = await startWallet({ env })
  })
  afterAll(() => wallet.stop())
}

function send(
  name: (typeof messageNames)[number],
  body: string | Buffer,
  signature?: string | string[],
): Promise<RawAnswer> {
  const headers = signature === undefined ? {} : { 'x-sign-jws': signature }
  return sendRaw(wallet.url, { ...routes[name], body, headers })
}

describe.each(typicalMessages)('the signature of %s', (name) => {
  walletWith({})
  let scene: Scene
  let text: string
  let before: unknown[]
  beforeAll(async () => {
    scene = await sceneFor(wallet, name)
    text = JSON.stringify(messageOf(scene, name))
    before = [await balanceOf(scene), await stateOf(scene)]
  })
  afterAll(() => wallet.auditIsClean())

  let withoutSignature: string | undefined
  /** The answer is the same for any signature, and for none. */
  async function expectCode1(body: string | Buffer, signature: string | string[] | undefined): Promise<void> {
    const answer = await send(name, body, signature)
    expectRefused(answer, 1)
    withoutSignature ??= (await send(name, text)).text
    expect(answer.text).toBe(withoutSignature)
  }

  it.each(brokenSignatures)('is rejected with code 1: $what', async ({ header }) => {
    await expectCode1(text, header(text, wallet.secret))
  })

  it('is rejected with code 1 after a change of any byte of the body', async () => {
    const signature = jws(text, wallet.secret)
    for (let at = 0; at < text.length; at += 7) {
      const body = Buffer.from(text)
      body[at] = (body[at] ?? 0) ^ 1
      expectRefused(await send(name, body, signature), 1)
    }
    for (const body of [`${text}\n`, ` ${text}`, text.slice(0, -1), '']) await expectCode1(body, signature)
  })

  const garbage: [string, string | Buffer][] = [
    ['no JSON', 'garbage'],
    ['an empty body', ''],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe])],
    ['an empty object', '{}'],
    ['a wrong type', '{"type":17}'],
  ]
  it.each(garbage)('that is wrong in a body of %s is code 1, not 5 (R-6)', async (_, body) => {
    for (const signature of [undefined, 'x', jws('{}x', wallet.secret), jws(body, 'another secret')]) {
      await expectCode1(body, signature)
    }
  })

  it('that is wrong with an expired token is code 1, not 3', async () => {
    const body = JSON.stringify({ ...messageOf(scene, name), token: 'unknown-unknown-unknown' })
    await expectCode1(body, jws(body, 'another secret'))
  })

  it('that is wrong moves no money', async () => {
    expect([await balanceOf(scene), await stateOf(scene)]).toEqual(before)
  })

  it('is accepted when it is right', () => mustSucceed(scene, name))
})

describe('the signature covers the bytes as sent (K1):', () => {
  walletWith({})
  afterAll(() => wallet.auditIsClean())

  const spellings: [string, (text: string) => string][] = [
    ['pretty-printed', (text) => JSON.stringify(JSON.parse(text), null, 2)],
    [
      'with its members the other way round',
      (text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())),
    ],
    ['with 100.0 for 100', (text) => text.replace('"amount":100', '"amount":100.0')],
    ['with 1e2 for 100', (text) => text.replace('"amount":100', '"amount":1e2')],
    ['with spaces around it', (text) => `  ${text}\r\n`],
    ['with letters outside ASCII', (text) => text.replace('{', '{"info2":"café ₿ 🏇",')],
    [
      'with escaped letters',
      (text) => text.replace('"type"', '"t\\u0079pe"').replace('{', '{"info2":"caf\\u00e9\\/x",'),
    ],
  ]
  it.each(spellings)('a body %s is accepted', async (_, spell) => {
    const scene = await sceneFor(wallet, 'place')
    const body = spell(JSON.stringify(messageOf(scene, 'place')))
    expect(answered(await send('place', body, jws(body, wallet.secret)))).toBe(200)
    expect(await balanceOf(scene)).toBe('900.00')
  })

  const headers = [
    '{"alg":"HS256","typ":"JWT"}',
    '{"typ":"JWT","alg":"HS256"}',
    '{"alg":"HS256"}',
    '{ "alg" : "HS256", "kid": "2031-05", "typ": "JOSE" }\n',
    '{"alg":"HS256","b64":true}',
    '{"alg":"HS256","kid":"\\"alg\\":","jwk":{"alg":["none","none"],"__proto__":{"alg":1}}}',
  ]
  it.each(headers)('the protected header %s is used as received', async (header) => {
    const scene = await sceneFor(wallet, 'place')
    const body = JSON.stringify(messageOf(scene, 'place'))
    expect(answered(await send('place', body, jws(body, wallet.secret, { header })))).toBe(200)
  })

  it('the name of the header is read in any case', async () => {
    const scene = await sceneFor(wallet, 'place')
    const body = JSON.stringify(messageOf(scene, 'place'))
    const headers = { 'X-Sign-JWS': jws(body, wallet.secret) }
    expect(answered(await sendRaw(wallet.url, { body, headers }))).toBe(200)
  })
})

describe('each message in signature-vectors.json', () => {
  walletWith({ PARTNER_SECRET: file.secret })
  afterAll(() => wallet.auditIsClean())

  // The bodies have no players of this wallet, so after the signature check their content is
  // rejected.
  it.each(file.vectors)('verifies on every route: $source, $body', async ({ header, body, signature }) => {
    for (const name of messageNames) {
      const answer = await send(name, body, `${header}..${signature}`)
      expect(answer.status).toBe(400)
      expect([3, 5]).toContain(member(answer.body, 'code'))
      expectRefused(await send(name, `${body} `, `${header}..${signature}`), 1)
    }
  })

  it.each(file.vectors)('verifies with no other signature of the file: $source, $body', async (vector) => {
    for (const { header, signature } of file.vectors.filter((other) => other !== vector)) {
      expectRefused(await send('profile', vector.body, `${header}..${signature}`), 1)
    }
  })
})

describe('during the rotation of two secrets (S-3)', () => {
  const [old, next] = ['the-old-secret-of-this-test', 'the-new-secret-of-this-test']
  walletWith({ PARTNER_SECRET: `${old},${next}` })
  afterAll(() => wallet.auditIsClean())

  describe.each(typicalMessages)('%s', (name) => {
    it.each([old, next])('is verified with "%s"', async (secret) => {
      const scene = await sceneFor(wallet, name)
      const body = JSON.stringify(messageOf(scene, name))
      expect(answered(await sendSigned(wallet.url, secret, { ...routes[name], body }))).toBe(200)
    })

    it.each([`${old},${next}`, `${next},${old}`, '', ',', old.slice(0, -1), `${next} `])(
      'is not verified with "%s"',
      async (secret) => {
        const scene = await sceneFor(wallet, name)
        const body = JSON.stringify(messageOf(scene, name))
        expectRefused(await sendSigned(wallet.url, secret, { ...routes[name], body }), 1)
      },
    )
  })
})
