/** Version of Purser, from package.json. */
import { readFileSync } from 'node:fs'

/** All packages have one version, so the number of this package is the number of Purser. */
const PACKAGE: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

export const VERSION = PACKAGE.version

/** The part of Purser that makes a call, for the log of the called server. */
export type UserAgentPart = 'platform' | 'gateway' | 'load' | 'conformance' | 'webhooks' | 'command'

export function userAgent(part: UserAgentPart): string {
  return `Purser/${VERSION} (${part})`
}
