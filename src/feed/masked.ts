/** What the journal keeps of bodies: tokens only as beginning and hash, of a player's profile only the names of its members. */
import { hash } from 'node:crypto'
import { isObject, isTooDeep, mapMembers, objectIn, withoutMark } from '../protocol/json.ts'

/** Characters of a body that are kept. Longer ones are cut; the hash is over all of it. */
const MAX_CHARS = 8_192
/** `token: value` in whatever spelling: what is no JSON is kept too. */
const TOKEN = /(token["']?\s*[:=>]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}&<]+)/gi
const NAMES_A_TOKEN = /token/i
const HIDDEN = '***'

/** The same token has the same mask, so that two calls can be compared: its first four characters and eight of its hash. */
export function maskToken(token: string): string {
  return `${token.slice(0, 4)}…${hash('sha256', token).slice(0, 8)}`
}

/** The body of a call as it is kept. */
export function maskedBody(text: string): string {
  const kept = cut(text)
  return cut(kept.includes('\\') ? rewritten(text) : maskedTokens(kept))
}

/** An answer of somebody else's, who may repeat what was asked. `token`: the call's own. */
export function maskedAnswer(text: string, token: string | undefined): string {
  const known = token === undefined || token === '' ? text : text.replaceAll(token, maskToken(token))
  return NAMES_A_TOKEN.test(known) ? maskedBody(known) : cut(known)
}

function maskedTokens(text: string): string {
  return text.replace(TOKEN, (_, before: string, value: string) => {
    const token = value.replace(/^["']|["']$/g, '')
    return `${before}"${maskToken(token)}"`
  })
}

/** An escape can spell `token` in a hundred ways; parsed, there is one. */
function rewritten(text: string): string {
  const body = objectIn(withoutMark(text))
  if (body === undefined) return '(no JSON, and escapes in it: not kept)'
  if (isTooDeep(body)) return '(nested too deeply: not kept)'
  let left = MAX_CHARS // each value that is written has a character at least
  return JSON.stringify(body, (name, value: unknown) => {
    left -= 1
    if (left < 0) return null
    if (Array.isArray(value)) return value.slice(0, left)
    if (typeof value !== 'string' || !(NAMES_A_TOKEN.test(name) || NAMES_A_TOKEN.test(value))) return value
    return NAMES_A_TOKEN.test(name) ? maskToken(value) : HIDDEN
  })
}

/** What of a profile is nobody's personal data, and what an error says. */
const KEPT_OF_A_PROFILE = ['userId', 'currency', 'currencies', 'isTest', 'operatorUser', 'code', 'message']

/** The answer to User data: of a person only the names of the members are in a journal. */
export function maskedProfile(text: string, token: string | undefined): string {
  const profile = objectIn(text)
  if (profile === undefined || isTooDeep(profile)) return '(no profile: not kept)'
  const kept = mapMembers(profile, (name, value) => {
    if (KEPT_OF_A_PROFILE.includes(name)) return value
    return name === 'customFields' && isObject(value) ? mapMembers(value, () => HIDDEN) : HIDDEN
  })
  return maskedAnswer(JSON.stringify(kept), token)
}

function cut(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
}
