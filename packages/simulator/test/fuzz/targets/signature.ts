/**
 * Fuzzes signatures: a call's signature is valid exactly by the rules (S-1 to S-3), and the
 * console's check agrees.
 */
import { createHmac } from 'node:crypto'
import { findSigner, signBody } from '@purser/protocol/signature'
import { checkSignature } from '../../../../console/src/shared/data/signature-check.ts'
import type { Chance } from '../chance.ts'
import { type Parts, textParts } from '../corpus.ts'
import { readJsonNode } from '../lossless.ts'
import { mutateBytes, mutateJson } from '../mutate.ts'
import { bytesOf, firstOf, type Target, textOf } from '../target.ts'

const SECRETS = ['a-secret-of-the-platform', 'the-secret-after-it']
const BODY = '{"type":1,"amount":12.5}'

const macOf = (first: string, body: Buffer, secret: string) =>
  createHmac('sha256', secret)
    .update(`${first}.${body.toString('base64url')}`)
    .digest('base64url')

function signedWith(header: string, body: Buffer, secret: string): string {
  const first = Buffer.from(header).toString('base64url')
  return `${first}..${macOf(first, body, secret)}`
}

const HEADERS = [
  ...[
    '{"alg":"HS256","typ":"JWT"}',
    '{"alg":"HS256"}',
    '{"typ":"JWT","alg":"HS256"}',
    '{"alg":"none"}',
    '{}',
    '[]',
    'null',
  ],
  ...['{"alg":"HS256","b64":false}', '{"alg":"HS256","b64":true}', '{"alg":"HS256","crit":["b64"]}', '{"alg":"HS512"}'],
  ...['{"alg":"none","alg":"HS256"}', '{"alg":"HS256","kid":{"alg":"none"}}', ' { "alg" : "HS256" } ', '"HS256"'],
]

const SEEDS = HEADERS.map((header) =>
  textParts({
    header: signedWith(header, Buffer.from(BODY), SECRETS[0] as string),
    body: BODY,
    secrets: SECRETS.join('\n'),
  }),
)

export const CODE = { sign: signBody, signerOf: findSigner, checkSignature }

export function signatureTarget(code: typeof CODE = CODE): Target {
  return { name: 'signature', seeds: SEEDS, mutate, grows: ['body', 'header'], judge: (parts) => judge(parts, code) }
}

function mutate(chance: Chance, parts: Parts): Parts {
  const body = chance.oneIn(3) ? mutateBytes(chance, bytesOf(parts, 'body')) : bytesOf(parts, 'body')
  const secrets = chance.oneIn(8) ? mutateBytes(chance, bytesOf(parts, 'secrets')) : bytesOf(parts, 'secrets')
  const secret = chance.pick(secretsIn(secrets))
  const [first = ''] = textOf(parts, 'header').split('.')
  const inside = Buffer.from(first, 'base64url')
  const isText = chance.oneIn(2)
  const again = signedWith((isText ? mutateJson(chance, inside) : inside).toString(), body, secret)
  const header = Buffer.from(chance.oneIn(3) ? respelled(chance, again) : again)
  return { header: chance.oneIn(5) ? mutateBytes(chance, header) : header, body, secrets }
}

/** The same bytes, or nearly the same, in another spelling of base64. */
function respelled(chance: Chance, header: string): string {
  const last = header.at(-1) ?? ''
  const next = String.fromCharCode(last.charCodeAt(0) + 1)
  const forms = [`${header.slice(0, -1)}${next}`, `${header}=`, ` ${header}`, `${header} `, header.replace('..', '.=.')]
  const more = [
    header.replaceAll('_', '/').replaceAll('-', '+'),
    header.replace('..', '.e30.'),
    header.replace('..', '.'),
    `${header}.`,
  ]
  return chance.pick([...forms, ...more, header.replace('..', '==..'), `x-sign-jws: ${header}`, `${header}, ${header}`])
}

/** A server starts only with secrets in UTF-8. */
const secretsIn = (bytes: Buffer): string[] => bytes.toString('utf8').split('\n')

async function judge(parts: Parts, code: typeof CODE): Promise<string | undefined> {
  const [header, body, secrets] = [
    textOf(parts, 'header'),
    bytesOf(parts, 'body'),
    secretsIn(bytesOf(parts, 'secrets')),
  ]
  const [wanted, got] = [signerBy(header, body, secrets), code.signerOf(header, body, secrets)]
  const [secret = ''] = secrets
  const own = code.sign(body, secret)
  const other = Buffer.concat([body, Buffer.from(' ')])
  return firstOf([
    got !== wanted && `another signer: ${got} instead of ${wanted}`,
    code.signerOf(own, body, secrets) !== 0 && 'its own signature is not taken',
    code.signerOf(own, other, secrets) !== undefined && 'a signature is taken for other bytes',
    await differenceOfConsole(header, body, secret, code),
  ])
}

/** The signer by the rules: a detached JWS (S-1) in its canonical form (S-2). */
function signerBy(header: string, body: Buffer, secrets: readonly string[]): number | undefined {
  const [, first, signature] = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]{43})$/.exec(header) ?? []
  if (first === undefined || header.length > 1_024 || header.endsWith('\n') || !isGoodHeader(first)) return undefined
  const place = secrets.findIndex((secret) => macOf(first, body, secret) === signature)
  return place === -1 ? undefined : place
}

function isGoodHeader(first: string): boolean {
  const tree = readJsonNode(Buffer.from(first, 'base64url').toString('utf8'))
  if (tree?.kind !== 'object' || hasTwins(tree)) return false
  const memberOf = (name: string) => tree.members.find((member) => member.name === name)?.value
  const [alg, b64] = [memberOf('alg'), memberOf('b64')]
  const isPlain = b64 === undefined || (b64.kind === 'word' && b64.value === true)
  return alg?.kind === 'string' && alg.value === 'HS256' && isPlain && memberOf('crit') === undefined
}

/** A repeated name in an object, at any depth. */
function hasTwins(node: NonNullable<ReturnType<typeof readJsonNode>>): boolean {
  if (node.kind === 'list') return node.items.some(hasTwins)
  if (node.kind !== 'object') return false
  const names = node.members.map(({ name }) => name)
  return new Set(names).size < names.length || node.members.some(({ value }) => hasTwins(value))
}

/** The console ignores outer space and the header's name, because users paste both. */
async function differenceOfConsole(header: string, body: Buffer, secret: string, code: typeof CODE) {
  if (secret === '') return undefined // the console requires a secret
  const text = body.toString('utf8')
  const pasted = header.trim().replace(/^x-sign-jws\s*:\s*/i, '')
  const isVerified = signerBy(pasted, Buffer.from(text), [secret]) === 0
  const steps = await code.checkSignature(header, text, secret)
  const isGood = steps.every((step) => step.isGood)
  return isGood === isVerified
    ? undefined
    : `the console says ${isGood ? 'right' : 'wrong'}, the wallet does not: ${header.slice(0, 60)}`
}
