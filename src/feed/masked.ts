/** What the journal keeps of bodies: tokens only as beginning and hash, of a player's profile only the names of its members. */
import { hash } from 'node:crypto'
import { isObject, objectIn } from '../protocol/json.ts'

/** Characters of a body that are kept. Longer ones are cut; the hash is over all of it. */
const MAX_CHARS = 8_192
/** `token: value` in whatever spelling: what is no JSON is kept too. */
const TOKEN = /(token["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}&]+)/gi
const HIDDEN = '***'

/** The same token has the same mask, so that two calls can be compared: its first four characters and eight of its hash. */
export function maskToken(token: string): string {
  return `${token.slice(0, 4)}…${hash('sha256', token).slice(0, 8)}`
}

/** The body of a call as it is kept. */
export function maskedBody(text: string): string {
  return cut(text.includes('\\') ? rewritten(text) : maskedTokens(text))
}

function maskedTokens(text: string): string {
  return text.replace(TOKEN, (_, before: string, value: string) => {
    const token = value.replace(/^["']|["']$/g, '')
    return `${before}"${maskToken(token)}"`
  })
}

/** An escape can spell `token` in a hundred ways; parsed, there is one. */
function rewritten(text: string): string {
  const body = objectIn(text)
  if (body === undefined) return '(no JSON, and escapes in it: not kept)'
  return maskedTokens(JSON.stringify(body))
}

/** The answer to User data: names and addresses of a person are in no journal. */
export function maskedProfile(text: string): string {
  const profile = objectIn(text)
  if (profile === undefined) return '(not kept)'
  const { customFields } = profile
  if (!isObject(customFields)) return cut(text)
  const names = Object.keys(customFields).map((name) => [name, HIDDEN] as const)
  return cut(JSON.stringify({ ...profile, customFields: Object.fromEntries(names) }))
}

/** Postgres stores no zero character. */
export function cut(text: string): string {
  const kept = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
  return kept.includes('\0') ? kept.replaceAll('\0', '\uFFFD') : kept
}
