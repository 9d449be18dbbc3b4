/** The version of this package, as package.json has it. */
import { existsSync, readFileSync } from 'node:fs'

/** The build is two folders below package.json, a program of tests or benches three. */
const PLACES = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url))
const PACKAGE: { version: string } = JSON.parse(readFileSync(PLACES.find(existsSync) ?? 'package.json', 'utf8'))

export const VERSION = PACKAGE.version

/** Each part that calls others names itself, so that they can tell from whom a call came. */
export type UserAgentPart = 'platform' | 'gateway' | 'load' | 'conformance' | 'webhooks' | 'command'

export function userAgent(part: UserAgentPart): string {
  return `Purser/${VERSION} (${part})`
}
