/**
 * Explains a rejected signature: the signed bytes, their signature, and the signatures that
 * frequent mistakes produce.
 *
 * Users share reports, so these signatures use a public secret. The wallet's developer runs the
 * wallet's code with the body and the public secret. The developer then compares the resulting
 * signature with these lines.
 */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import { signBody } from '../signature.ts'
import { parseJsonObject } from '../values/exact-json.ts'

/** The secret of the published test vectors. */
const PUBLIC_SECRET = 'testdemo'

export interface SignedBytes {
  readonly bytes: number
  readonly expected: string
  /** Signatures of wallets that sign other bytes than the received ones. */
  readonly mistakes: readonly { readonly how: string; readonly signature: string }[]
}

export function explainSignedBytes(body: string): SignedBytes {
  const bytes = Buffer.from(body)
  const expected = signBody(bytes, PUBLIC_SECRET)
  const parsed = parseJsonObject(body, (text) => JSON.parse(text))
  const sorted = parsed && Object.fromEntries(Object.entries(parsed).sort(([a], [b]) => (a < b ? -1 : 1)))
  const mistaken: [how: string, bytes: Buffer][] = [
    ['over the JSON parsed and written again', parsed === undefined ? bytes : Buffer.from(JSON.stringify(parsed))],
    ['over its members sorted by name', sorted === undefined ? bytes : Buffer.from(JSON.stringify(sorted))],
    ['over the text read as Latin-1', Buffer.from(bytes.toString('latin1'))],
  ]
  const mistakes = mistaken.map(([how, wrong]) => ({ how, signature: signBody(wrong, PUBLIC_SECRET) }))
  return { bytes: bytes.length, expected, mistakes: mistakes.filter(({ signature }) => signature !== expected) }
}

export function formatSignedBytes(body: string): readonly string[] {
  const { bytes } = explainSignedBytes(body)
  return [
    `the body that was signed, ${bytes} bytes; tokens in it are masked:`,
    `  ${body}`,
    `x-sign-jws with the public secret "${PUBLIC_SECRET}", for a try with the code of the wallet:`,
    ...formatSignatures(body),
  ]
}

function formatSignatures(body: string): string[] {
  const { expected, mistakes } = explainSignedBytes(body)
  return [
    `  ${expected}  expected: over these bytes as received`,
    ...mistakes.map(({ how, signature }) => `  ${signature}  wrong: ${how}`),
  ]
}

/** Every frequent mistake changes the bytes of this body. */
const SAMPLE = '{"requestId":"d9195aef-9492-43dd-88d0-dc1732a37f4e","info":"Bodø/Glimt","amount":10.0}'

/**
 * Ends a command whose first call is rejected with code 1. `refusal`: for example 'code 1 to POST
 * /user/profile'.
 */
export function toSecretError(refusal: string): UsageError {
  return new UsageError(
    [
      `the wallet does not take this secret: ${refusal}. Give the secret of the wallet, byte by byte.`,
      `If it is the same, the wallet verifies other bytes. Give its code this body and the secret "${PUBLIC_SECRET}":`,
      `  ${SAMPLE}`,
      ...formatSignatures(SAMPLE),
      'The check in five languages is in docs/guides/signature.md.',
    ].join('\n'),
  )
}
