/**
 * Redaction of bodies in the journal: tokens are shortened and hashed, profiles keep only the names
 * of their members.
 */
import { hash } from 'node:crypto'
import {
  isObject,
  isTooDeep,
  mapMembers,
  parseJsonObject,
  stripByteOrderMark,
} from '@purser/protocol/values/exact-json'

/** Characters of a stored body. A longer body is cut, but its hash covers the whole body. */
const MAX_CHARS = 8_192
/** Matches `token: value` in many spellings, because a body may be no JSON. */
const TOKEN = /(token["']?\s*[:=>]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}&<]+)/gi
const TOKEN_NAME = /token/i
const REDACTED = '***'

/**
 * Four characters and eight of the hash. Equal tokens have equal masks, so calls can be compared.
 */
export function redactToken(token: string): string {
  return `${token.slice(0, 4)}…${hash('sha256', token).slice(0, 8)}`
}

export function redactBody(text: string): string {
  const kept = truncate(text)
  return truncate(kept.includes('\\') ? redactParsedJson(text) : redactTokens(kept))
}

/** For an answer that may repeat the request; `token` is the call's own. */
export function redactAnswer(text: string, token: string | undefined): string {
  const known = token === undefined || token === '' ? text : text.replaceAll(token, redactToken(token))
  return TOKEN_NAME.test(known) ? redactBody(known) : truncate(known)
}

function redactTokens(text: string): string {
  return text.replace(TOKEN, (_, before: string, value: string) => {
    const token = value.replace(/^["']|["']$/g, '')
    return `${before}"${redactToken(token)}"`
  })
}

/** Escapes allow many spellings of `token`, and parsing leaves one. */
function redactParsedJson(text: string): string {
  const body = parseJsonObject(stripByteOrderMark(text))
  if (body === undefined) return '(no JSON, and escapes in it: not kept)'
  if (isTooDeep(body)) return '(nested too deeply: not kept)'
  let left = MAX_CHARS // each value adds at least one character
  return JSON.stringify(body, (name, value: unknown) => {
    left -= 1
    if (left < 0) return null
    if (Array.isArray(value)) return value.slice(0, left)
    if (typeof value !== 'string' || !(TOKEN_NAME.test(name) || TOKEN_NAME.test(value))) return value
    return TOKEN_NAME.test(name) ? redactToken(value) : REDACTED
  })
}

/** Members of a profile that are no personal data, and members of an error. */
const UNREDACTED_PROFILE_MEMBERS = ['userId', 'currency', 'currencies', 'isTest', 'operatorUser', 'code', 'message']

/** For the answer to User data: only the names of its members are stored. */
export function redactProfile(text: string, token: string | undefined): string {
  const profile = parseJsonObject(text)
  if (profile === undefined || isTooDeep(profile)) return '(no profile: not kept)'
  const kept = mapMembers(profile, (name, value) => {
    if (UNREDACTED_PROFILE_MEMBERS.includes(name)) return value
    return name === 'customFields' && isObject(value) ? mapMembers(value, () => REDACTED) : REDACTED
  })
  return redactAnswer(JSON.stringify(kept), token)
}

function truncate(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
}
