/**
 * A report that can be passed on: session tokens and signatures are masked, as they have no place in logs either (K29). A
 * token and a signed request are worth money to whoever reaches the wallet; a signature is also something to guess the
 * shared secret against, which itself is in no request. Headers that open a test system (--header) are masked too.
 */
import { objectIn, parseJson } from '../../protocol/json.ts'
import { SIGNATURE_HEADER } from '../../protocol/signature.ts'
import type { Headers } from '../../runtime/headers.ts'
import type { Exchange, SentRequest } from '../exchange.ts'
import { withoutCredentials } from '../exchange.ts'
import type { CaseResult, Report, Verdict } from './report.ts'

interface Mask {
  /** The same token has the same name throughout, so that the reader sees which calls were about one session. */
  readonly text: (text: string) => string
  /** Names of headers whose values are masked, in lower case. */
  readonly headers: readonly string[]
}

/** `headers` are those of --header. */
export function masked(report: Report, headers: Headers = {}): Report {
  const mask = maskFor(report, headers)
  return {
    ...report,
    target: withoutCredentials(report.target),
    notes: report.notes.map(mask.text),
    results: report.results.map((result): CaseResult => ({ ...result, verdict: maskedVerdict(result.verdict, mask) })),
  }
}

function maskFor({ results }: Report, headers: Headers): Mask {
  const exchanges = results.flatMap(({ verdict }) => (verdict.kind === 'failed' ? verdict.exchanges : []))
  const tokens = [...new Set(exchanges.flatMap(({ request }) => tokensIn(request.body)))]
  const names = [
    ...tokens.map((token, i) => [token, `masked-token-${i + 1}`] as const),
    ...Object.values(headers)
      .flatMap((value) => [value, value.split(' ').at(-1) ?? ''])
      .filter((value) => value.length >= MIN_SECRET_LENGTH)
      .map((value) => [value, 'masked'] as const),
  ]
  // Longer ones first: one may be the beginning of another.
  const longestFirst = names.sort(([a], [b]) => b.length - a.length)
  return {
    text: (text) => longestFirst.reduce((masked, [token, name]) => masked.replaceAll(token, name), text),
    headers: [...CREDENTIALS, ...Object.keys(headers)],
  }
}

/** As it is and as it stands in the text, which differ where a case escapes more than needed. */
function tokensIn(body: string): string[] {
  const written = [...body.matchAll(/"token"\s*:\s*"((?:[^"\\]|\\.)+)"/g)].map(({ 1: token = '' }) => token)
  return [...written, ...parsedToken(body)].filter((token) => token.length >= MIN_SECRET_LENGTH)
}

/** Shorter ones are no tokens (interface, Limits): replacing every "a" would spoil the report. */
const MIN_SECRET_LENGTH = 10

function parsedToken(body: string): string[] {
  const token = objectIn(body, parseJson)?.token
  return typeof token === 'string' ? [token] : []
}

function maskedVerdict(verdict: Verdict, mask: Mask): Verdict {
  if (verdict.kind === 'passed') return verdict
  const why = mask.text(verdict.why)
  if (verdict.kind === 'not judged') return { ...verdict, why }
  const exchanges = verdict.exchanges.map((exchange) => maskedExchange(exchange, mask))
  return { kind: 'failed', why, exchanges, repeat: '' } // without its signature the call would be refused
}

function maskedExchange(exchange: Exchange, mask: Mask): Exchange {
  const { request, answer } = exchange
  return {
    ...exchange,
    request: maskedRequest(request, mask),
    answer: answer.kind === 'some' ? { ...answer, body: mask.text(answer.body) } : answer,
  }
}

function maskedRequest({ method, url, headers, body }: SentRequest, mask: Mask): SentRequest {
  const shown = Object.entries(headers).map(([name, value]) => [name, maskedHeader(name.toLowerCase(), value, mask)])
  return { method, url: withoutCredentials(url), headers: Object.fromEntries(shown), body: mask.text(body) }
}

/** Headers whose values are secrets. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key']

function maskedHeader(name: string, value: string, mask: Mask): string {
  if (name === SIGNATURE_HEADER) return maskedSignature(value)
  return mask.headers.includes(name) ? 'masked' : mask.text(value)
}

/** What is said about the signature stays, and so does its form; the last part goes. */
function maskedSignature(value: string): string {
  const parts = value.split('.')
  return parts.map((part, i) => (i > 0 && i === parts.length - 1 && part !== '' ? 'masked' : part)).join('.')
}
