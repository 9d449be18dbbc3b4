// Faults before the JSON: invalid UTF-8, large bodies, unusual or missing content types,
// chunks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused } from './answers.ts'
import { messageNames, messageOf, mustSucceed, routes, sceneFor, typicalMessages } from './messages.ts'
import { type RawCall, sendSigned } from './raw-http.ts'
import { balanceOf, newScene, type Scene, stateOf } from './scene.ts'

const LIMIT = 256 * 1024

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

/** The message with a text member of these bytes. */
function withBytes(message: object, bytes: Buffer): Buffer {
  const [head = '', tail = ''] = JSON.stringify({ ...message, info: 'HERE' }).split('HERE')
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)])
}

/** The message, extended by an unknown member to exactly this number of bytes. */
function ofLength(message: object, length: number): string {
  const empty = JSON.stringify({ ...message, filling: '' })
  return JSON.stringify({ ...message, filling: 'x'.repeat(length - Buffer.byteLength(empty)) })
}

const send = (call: RawCall) => sendSigned(wallet.url, wallet.secret, call)

describe.each(typicalMessages)('for the bytes of %s the wallet', (name) => {
  let scene: Scene
  let before: unknown[]
  beforeAll(async () => {
    scene = await sceneFor(wallet, name)
    before = [await balanceOf(scene), await stateOf(scene)]
  })

  async function expectCode5(call: RawCall): Promise<void> {
    expectRefused(await send({ ...routes[name], ...call }), 5)
  }

  const illFormed = [
    ['a byte that UTF-8 does not have', [0xff]],
    ['a continuation byte alone', [0x80]],
    ['a letter cut in half', [0xc3]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an overlong slash', [0xe0, 0x80, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ] as const
  it.each(illFormed)('rejects %s with code 5', async (_, bytes) => {
    await expectCode5({ body: withBytes(messageOf(scene, name), Buffer.from(bytes)) })
  })

  it('rejects UTF-16 with code 5', async () => {
    await expectCode5({ body: Buffer.from(JSON.stringify(messageOf(scene, name)), 'utf16le') })
  })

  it.each([LIMIT + 1, 1_000_000, 5_000_000])(
    'rejects a body of %i bytes with code 5, never with 413',
    async (length) => {
      await expectCode5({ body: ofLength(messageOf(scene, name), length) })
    },
  )

  it('rejects a chunked body that exceeds the limit with code 5', async () => {
    await expectCode5({ body: ofLength(messageOf(scene, name), LIMIT + 1), chunk: 16_384 })
  })

  it.each(['application/json', 'text/plain'])('rejects an empty body of type %s with code 5', async (contentType) => {
    await expectCode5({ body: '', headers: { 'content-type': contentType } })
  })

  it('moves no money in any of these cases', async () => {
    expect([await balanceOf(scene), await stateOf(scene)]).toEqual(before)
  })

  it('accepts a byte order mark at the start (D-2)', async () => {
    const marked = await sceneFor(wallet, name)
    const body = Buffer.from(`\ufeff${JSON.stringify(messageOf(marked, name))}`)
    expect(await send({ ...routes[name], body })).toMatchObject({ status: 200 })
  })

  it('accepts the unchanged message', () => mustSucceed(scene, name))
})

describe('a Place bet is accepted', () => {
  async function expectAccepted(call: (text: string, message: object) => RawCall): Promise<void> {
    const scene = await newScene(wallet)
    const message = messageOf(scene, 'place')
    expectDone(await send(call(JSON.stringify(message), message)), scene.betId)
    expect(await balanceOf(scene)).toBe('900.00')
  }

  it('when its body has exactly 256 KiB', () => expectAccepted((_, message) => ({ body: ofLength(message, LIMIT) })))

  it('when its body has exactly 256 KiB in chunks', () =>
    expectAccepted((_, message) => ({ body: ofLength(message, LIMIT), chunk: 10_000 })))

  it.each([1, 7, 500])('when its body arrives in chunks of %i bytes', (chunk) =>
    expectAccepted((body) => ({ body, chunk })),
  )

  const contentTypes = [
    'application/json; charset=utf-8',
    'application/json; charset=latin1',
    'application/problem+json',
    'text/plain',
    'text/html',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'nonsense',
    ';;;',
    '/',
    '',
  ]
  it.each(contentTypes)('when its content type is "%s", which the wallet ignores', (contentType) =>
    expectAccepted((body) => ({ body, headers: { 'content-type': contentType } })),
  )

  it('when it has no content type', () => expectAccepted((body) => ({ body })))

  it.each(['application/xml', 'text/html', '*/*;q=0'])('when its Accept header is %s', (accept) =>
    expectAccepted((body) => ({ body, headers: { accept } })),
  )

  it('when it contains four-byte characters', async () => {
    await expectAccepted((_, message) => ({ body: withBytes(message, Buffer.from('\u{1f3c7}\u{10ffff}')) }))
  })
})

describe('the wire treats repeated slashes in a path as one (D-4):', () => {
  const twice = (path: string) => path.replaceAll('/', '//')
  it.each(messageNames)('%s', async (name) => {
    const { method, path } = routes[name]
    const paths = [`/${path}`, twice(path), `//${twice(path)}?q=1`]
    for (const [i, written] of paths.entries()) {
      const scene = await sceneFor(wallet, name)
      const body = JSON.stringify(messageOf(scene, name))
      const url = `${wallet.url}${written}`
      const chunk = i === 1 ? { chunk: 50 } : {} // Fastify itself reads a body in chunks
      expect(await sendSigned(url, wallet.secret, { method, path: url, body, ...chunk })).toMatchObject({ status: 200 })
    }
  })

  it('our own API does not', async () => {
    for (const path of ['//operator/players', '/operator//players', '/operator/players//bets']) {
      const { status } = await fetch(wallet.url + path, { headers: { authorization: `Bearer ${wallet.operatorKey}` } })
      expect([path, [400, 404].includes(status)]).toEqual([path, true])
    }
  })
})

describe('every rejection of the wire', () => {
  it('is JSON, for any malformed request', async () => {
    const { status, text } = await send({ body: 'no JSON', headers: { 'content-type': 'text/html' } })
    expect(status).toBe(400)
    expect(JSON.parse(text)).toEqual({ code: 5, message: expect.any(String) })
  })
})
