/**
 * Explains the wallet's answer to the first call, User data. Most developers meet their first
 * problem here, so each sentence names the received answer and a probable remedy.
 */
import type { Exchange } from '@purser/conformance/http-exchange'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import type { Scales } from '@purser/protocol/values/money'

export interface FirstProfile {
  readonly userId: string
  readonly currency: string
  readonly scale: number
}

export type FirstCallResult =
  | { readonly kind: 'profile'; readonly profile: FirstProfile }
  | { readonly kind: 'problem'; readonly sentence: string }

/** Characters of a body in a sentence. */
const MAX_QUOTE = 120
/** Characters of a token that are shown. */
const TOKEN_END = 4

export function readFirstCall(
  { request, answer }: Pick<Exchange, 'request' | 'answer'>,
  token: string,
  scales: Scales,
): FirstCallResult {
  const call = `${request.method} ${request.url}`
  const problem = (sentence: string): FirstCallResult => ({ kind: 'problem', sentence })
  if (answer.kind === 'none')
    return problem(
      `The wallet received ${call} and gave no answer: ${answer.why}. A handler that throws an error often does this, so look at the wallet's own log.`,
    )
  const { status, body } = answer
  const reply = parseJsonObject(body)
  const code = typeof reply?.code === 'number' ? reply.code : undefined
  if (code !== undefined) return problem(explainCode(code, call, token, reply?.message))
  const fault = explainStatus(status, call, body)
  if (fault !== undefined) return problem(fault)
  if (reply === undefined) return problem(explainNoJson(call, body))
  return readProfile(reply, call, scales)
}

/** The wallet has accepted the connection, and has not answered. */
export function explainSilence(url: string): string {
  return `The wallet received POST ${url} and has not answered within 5 s, after which a platform gives up. Look whether its handler always sends an answer, or waits for something.`
}

function explainCode(code: number, call: string, token: string, message: unknown): string {
  const words = typeof message === 'string' ? `code ${code}, "${quote(message)}"` : `code ${code}`
  if (code === REPLY_CODES.bad_signature.code)
    return `The wallet refused the signature of ${call} (${words}). Compare --secret with the wallet's secret. The signature covers the received bytes of the body, so a wallet must verify it before it parses the JSON.`
  if (code === REPLY_CODES.invalid_token.code || code === REPLY_CODES.expired_token.code)
    return `The wallet does not accept the token "…${token.slice(-TOKEN_END)}" (${words}). Create a new session of the player, and give its token with --token.`
  return `The wallet refused ${call} (${words}). A valid token of a test player must get a profile with HTTP status 200.`
}

function explainStatus(status: number, call: string, body: string): string | undefined {
  const quoted = quoteBody(body)
  if (status >= 300 && status < 400)
    return `The wallet answered ${call} with a redirect (HTTP status ${status}). A platform follows no redirect, so give the final address with --wallet.`
  if (status === 401 || status === 403)
    return `The wallet did not let the caller in: ${call} was answered with HTTP status ${status} and ${quoted}. If a proxy asks for a password, give it with --header 'Authorization: …'. A bad signature is answered with 400 and code 1.`
  if (status === 404 || status === 405)
    return `The wallet has no such path: ${call} was answered with HTTP status ${status} and ${quoted}. If the wallet serves the calls below a prefix, add it to the address, as in --wallet http://127.0.0.1:3000/api.`
  if (status >= 500)
    return `The wallet failed on ${call}: HTTP status ${status} and ${quoted}. Its own log has the cause.`
  if (status !== 200)
    return `The wallet answered ${call} with HTTP status ${status} and ${quoted}. A profile has status 200, a refusal status 400 with a code.`
  return undefined
}

function explainNoJson(call: string, body: string): string {
  const isPage = /^\s*<(!doctype|html)/i.test(body)
  return isPage
    ? `The wallet answered ${call} with a page of HTML, not with JSON. Another program may listen at this address, or a route of the site answers every path.`
    : `The wallet answered ${call} with ${quoteBody(body)}, which is no JSON object. A profile is {"userId": …, "currency": …}.`
}

function readProfile(reply: Readonly<Record<string, unknown>>, call: string, scales: Scales): FirstCallResult {
  const { userId, currency } = reply
  const missing = Object.entries({ userId, currency }).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [] : [name],
  )
  if (typeof userId !== 'string' || typeof currency !== 'string' || missing.length > 0)
    return {
      kind: 'problem',
      sentence: `The answer to ${call} has no text ${missing.join(' and no ')}. A profile is {"userId": "…", "currency": "EUR"}.`,
    }
  const scale = scales.get(currency)
  if (scale === undefined)
    return {
      kind: 'problem',
      sentence: `The player's currency is "${quote(currency)}", whose number of decimals is unknown. Set it, as in PURSER_CURRENCIES=${quote(currency)}:2.`,
    }
  return { kind: 'profile', profile: { userId, currency, scale } }
}

function quoteBody(body: string): string {
  return body.trim() === '' ? 'an empty body' : `"${quote(body)}"`
}

/** The beginning of a text, in one line. */
function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line
}
