/**
 * Redaction of a report, so that users can share it.
 *
 * Session tokens and signatures are masked. A token or a signed request is worth money to anyone
 * who can reach the wallet. A signature also lets an attacker test guesses of the secret. The
 * values of `--header` are masked too, because they open a test system.
 */

import { SIGNATURE_HEADER } from '@purser/protocol/signature'
import { parseJson, parseJsonObject } from '@purser/protocol/values/exact-json'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import type { Exchange, SentRequest } from '../http-exchange.ts'
import { stripCredentials } from '../http-exchange.ts'
import type { CaseResult, CaseVerdict, ConformanceReport } from './conformance-report.ts'

interface Redaction {
  /** A token has the same mask everywhere, so that the calls of one session are recognisable. */
  readonly text: (text: string) => string
  /** Lower case. */
  readonly headers: readonly string[]
}

export function redactReport(report: ConformanceReport, headers: ExtraHeaders = {}): ConformanceReport {
  const redaction = buildRedaction(report, headers)
  return {
    ...report,
    target: stripCredentials(report.target),
    notes: report.notes.map(redaction.text),
    results: report.results.map(
      (result): CaseResult => ({ ...result, verdict: redactVerdict(result.verdict, redaction) }),
    ),
  }
}

function buildRedaction({ results }: ConformanceReport, headers: ExtraHeaders): Redaction {
  const exchanges = results.flatMap(({ verdict }) => (verdict.kind === 'failed' ? verdict.exchanges : []))
  const tokens = [...new Set(exchanges.flatMap(({ request }) => findTokens(request.body)))]
  const names = [
    ...tokens.map((token, i) => [token, `masked-token-${i + 1}`] as const),
    ...Object.values(headers)
      .flatMap((value) => [value, value.split(' ').at(-1) ?? ''])
      .filter((value) => value.length >= MIN_SECRET_LENGTH)
      .map((value) => [value, 'masked'] as const),
  ]
  // The longest token is first, because another one may be its prefix.
  const longestFirst = names.sort(([a], [b]) => b.length - a.length)
  return {
    text: (text) => longestFirst.reduce((masked, [token, name]) => masked.replaceAll(token, name), text),
    headers: [...CREDENTIALS, ...Object.keys(headers)],
  }
}

/** The token as parsed and as written, which differ if a case escapes more than necessary. */
function findTokens(body: string): string[] {
  const written = [...body.matchAll(/"token"\s*:\s*"((?:[^"\\]|\\.)+)"/g)].map(({ 1: token = '' }) => token)
  return [...written, ...findParsedToken(body)].filter((token) => token.length >= MIN_SECRET_LENGTH)
}

/**
 * A shorter text is no token (interface.md, Limits), and masking each "a" would spoil the report.
 */
const MIN_SECRET_LENGTH = 10

function findParsedToken(body: string): string[] {
  const token = parseJsonObject(body, parseJson)?.token
  return typeof token === 'string' ? [token] : []
}

function redactVerdict(verdict: CaseVerdict, redaction: Redaction): CaseVerdict {
  if (verdict.kind === 'passed') return verdict
  const why = redaction.text(verdict.why)
  if (verdict.kind === 'not judged') return { ...verdict, why }
  const exchanges = verdict.exchanges.map((exchange) => redactExchange(exchange, redaction))
  return { kind: 'failed', why, exchanges, repeat: '' } // the call would be rejected without its signature
}

function redactExchange(exchange: Exchange, redaction: Redaction): Exchange {
  const { request, answer } = exchange
  return {
    ...exchange,
    request: redactRequest(request, redaction),
    answer: answer.kind === 'some' ? { ...answer, body: redaction.text(answer.body) } : answer,
  }
}

function redactRequest({ method, url, headers, body }: SentRequest, redaction: Redaction): SentRequest {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    redactHeader(name.toLowerCase(), value, redaction),
  ])
  return { method, url: stripCredentials(url), headers: Object.fromEntries(shown), body: redaction.text(body) }
}

const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key']

function redactHeader(name: string, value: string, redaction: Redaction): string {
  if (name === SIGNATURE_HEADER) return redactSignature(value)
  return redaction.headers.includes(name) ? 'masked' : redaction.text(value)
}

/** Masks only the last part of the signature. */
function redactSignature(value: string): string {
  const parts = value.split('.')
  return parts.map((part, i) => (i > 0 && i === parts.length - 1 && part !== '' ? 'masked' : part)).join('.')
}
