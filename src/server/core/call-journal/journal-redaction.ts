/** What the journal keeps of bodies: tokens only as beginning and hash, of a player's profile only the names of its members. */
import { hash } from 'node:crypto'
import {
  isObject,
  isTooDeep,
  mapMembers,
  parseJsonObject,
  stripByteOrderMark,
} from '../../../protocol/values/exact-json.ts'

/** Characters of a body that are kept. Longer ones are cut; the hash is over all of it. */
const MAX_CHARS = 8_192
/** `token: value` in whatever spelling: what is no JSON is kept too. */
const TOKEN = /(token["']?\s*[:=>]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}&<]+)/gi
const TOKEN_NAME = /token/i
const REDACTED = '***'

/** The same token has the same mask, so that two calls can be compared: its first four characters and eight of its hash. */
export function redactToken(token: string): string {
  return `${token.slice(0, 4)}…${hash('sha256', token).slice(0, 8)}`
}

/** The body of a call as it is kept. */
export function redactBody(text: string): string {
  const kept = truncate(text)
  return truncate(kept.includes('\\') ? redactParsedJson(text) : redactTokens(kept))
}

/** An answer of somebody else's, who may repeat what was asked. `token`: the call's own. */
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

/** An escape can spell `token` in a hundred ways; parsed, there is one. */
function redactParsedJson(text: string): string {
  const body = parseJsonObject(stripByteOrderMark(text))
  if (body === undefined) return '(no JSON, and escapes in it: not kept)'
  if (isTooDeep(body)) return '(nested too deeply: not kept)'
  let left = MAX_CHARS // each value that is written has a character at least
  return JSON.stringify(body, (name, value: unknown) => {
    left -= 1
    if (left < 0) return null
    if (Array.isArray(value)) return value.slice(0, left)
    if (typeof value !== 'string' || !(TOKEN_NAME.test(name) || TOKEN_NAME.test(value))) return value
    return TOKEN_NAME.test(name) ? redactToken(value) : REDACTED
  })
}

/** What of a profile is nobody's personal data, and what an error says. */
const UNREDACTED_PROFILE_MEMBERS = ['userId', 'currency', 'currencies', 'isTest', 'operatorUser', 'code', 'message']

/** The answer to User data: of a person only the names of the members are in a journal. */
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
