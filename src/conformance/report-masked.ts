/**
 * A report that can be passed on: session tokens and signatures are masked, as they have no place in logs either (K29). A
 * token and a signed request are worth money to whoever reaches the wallet; a signature is also something to guess the
 * shared secret against, which itself is in no request.
 */
import { parseJson } from '../protocol/json.ts'
import { SIGNATURE_HEADER } from '../protocol/signature.ts'
import type { Exchange, SentRequest } from './exchange.ts'
import { curlOf } from './exchange.ts'
import type { CaseResult, Report, Verdict } from './report.ts'

/** The same token has the same name throughout, so that the reader sees which calls were about one session. */
type Mask = (text: string) => string

export function masked(report: Report): Report {
  const mask = maskFor(report)
  return {
    ...report,
    target: withoutCredentials(report.target),
    results: report.results.map((result): CaseResult => ({ ...result, verdict: maskedVerdict(result.verdict, mask) })),
  }
}

function maskFor({ results }: Report): Mask {
  const exchanges = results.flatMap(({ verdict }) => (verdict.kind === 'failed' ? verdict.exchanges : []))
  const tokens = [...new Set(exchanges.flatMap(({ request }) => tokensIn(request.body)))]
  // Longer ones first: one may be the beginning of another.
  const names = tokens.map((token, i) => [token, `masked-token-${i + 1}`] as const)
  const longestFirst = names.sort(([a], [b]) => b.length - a.length)
  return (text) => longestFirst.reduce((masked, [token, name]) => masked.replaceAll(token, name), text)
}

/** As it is and as it stands in the text, which differ where a case escapes more than needed. */
function tokensIn(body: string): string[] {
  const written = [...body.matchAll(/"token"\s*:\s*"((?:[^"\\]|\\.)+)"/g)].map(({ 1: token = '' }) => token)
  return [...written, ...parsedToken(body)].filter((token) => token.length >= MIN_TOKEN_LENGTH)
}

/** Shorter ones are no tokens (interface, Limits): replacing every "a" would spoil the report. */
const MIN_TOKEN_LENGTH = 10

function parsedToken(body: string): string[] {
  try {
    const value = parseJson(body)
    const token = typeof value === 'object' && value !== null && 'token' in value ? value.token : undefined
    return typeof token === 'string' ? [token] : []
  } catch {
    return []
  }
}

function maskedVerdict(verdict: Verdict, mask: Mask): Verdict {
  if (verdict.kind === 'passed') return verdict
  const why = mask(verdict.why)
  if (verdict.kind === 'not judged') return { kind: 'not judged', why }
  const exchanges = verdict.exchanges.map((exchange) => maskedExchange(exchange, mask))
  return { kind: 'failed', why, exchanges, repeat: maskedRepeat(verdict, exchanges, mask) }
}

/** A curl names the signature too; what else a report repeats with has none. */
function maskedRepeat(
  { repeat, exchanges: sent }: { readonly repeat: string; readonly exchanges: readonly Exchange[] },
  exchanges: readonly Exchange[],
  mask: Mask,
): string {
  const index = sent.findLastIndex(({ request }) => curlOf(request) === repeat)
  const repeated = exchanges[index]
  return repeated === undefined ? mask(repeat) : curlOf(repeated.request)
}

function maskedExchange(exchange: Exchange, mask: Mask): Exchange {
  const { request, answer } = exchange
  return {
    ...exchange,
    request: maskedRequest(request, mask),
    answer: answer.kind === 'some' ? { ...answer, body: mask(answer.body) } : answer,
  }
}

function maskedRequest({ method, url, headers, body }: SentRequest, mask: Mask): SentRequest {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    name.toLowerCase() === SIGNATURE_HEADER ? maskedSignature(value) : mask(value),
  ])
  return { method, url: withoutCredentials(url), headers: Object.fromEntries(shown), body: mask(body) }
}

/** What is said about the signature stays, and so does its form; the last part goes. */
function maskedSignature(value: string): string {
  const parts = value.split('.')
  return parts.map((part, i) => (i > 0 && i === parts.length - 1 && part !== '' ? 'masked' : part)).join('.')
}

function withoutCredentials(text: string): string {
  return text.replace(/^(https?:\/\/)[^/@\s]*@/, '$1')
}
