/**
 * Check of base URLs that users enter: of a wallet, of one of Purser's own APIs, of a webhook's
 * consumer.
 *
 * A part of the URL that calls would drop, such as a query, is an error. Otherwise calls would go
 * to another address than the entered one.
 */
import { OPERATIONS } from '../operation.ts'

/** wallet and api: paths are appended. webhook: the URL is used unchanged. */
export type UrlUse = 'wallet' | 'api' | 'webhook'

/** The addresses that calls may reach (O-17). */
export interface Reach {
  /** True permits private and reserved networks, including this machine. */
  readonly privateAddresses: boolean
  /** True permits calls without TLS. */
  readonly plainHttp: boolean
}

export const ANYWHERE: Reach = { privateAddresses: true, plainHttp: true }

const EXAMPLES: Readonly<Record<UrlUse, string>> = {
  wallet: 'https://wallet.example',
  api: 'http://127.0.0.1:8080',
  webhook: 'https://crm.example/purser',
}
const SCHEME = /^https?:\/\//i
/**
 * The URL parser drops some of these characters and encodes others, so two spellings look alike.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BLANK = /[\s\u0000-\u001f\u007f]/
const INTERFACE_PATHS = [...new Set(Object.values(OPERATIONS).map(({ path }) => path))]

/**
 * Returns the rest of a sentence that begins with the setting's name; undefined for a usable URL.
 */
export function findUrlFault(text: string, use: UrlUse): string | undefined {
  if (BLANK.test(text)) return 'must not contain spaces or control characters: remove them'
  const url = SCHEME.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return `is not a URL of http or https: write it as in ${EXAMPLES[use]}`
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user or a password: leave them out, because no call carries them'
  if (use === 'webhook') return undefined
  if (/[?#]/.test(text)) return 'must not have a query or a fragment: leave it out, because paths are appended'
  const path = use === 'wallet' ? findInterfacePath(url) : undefined
  return path && `must not end in ${path}: leave ${path} out, because the paths are appended`
}

/** Repeated slashes count as one (D-4), so they cannot hide a path. */
function findInterfacePath({ pathname }: URL): string | undefined {
  const path = trimEndSlashes(pathname.replaceAll(/\/{2,}/g, '/'))
  return INTERFACE_PATHS.find((end) => path.endsWith(end))
}

/** The result can be followed by a path, which begins with a slash. */
export function trimEndSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}
