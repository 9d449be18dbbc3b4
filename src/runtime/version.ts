/** The version of this package, as package.json says it. */
import { readFileSync } from 'node:fs'

const PACKAGE: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

export const VERSION = PACKAGE.version

/** Each part that calls others names itself, so that they can tell from whom a call came. */
export type UserAgentPart = 'platform' | 'gateway' | 'load' | 'conformance' | 'webhooks' | 'command'

export function userAgent(part: UserAgentPart): string {
  return `Purser/${VERSION} (${part})`
}
