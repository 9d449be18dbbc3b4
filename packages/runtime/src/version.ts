/** Version of Purser, from package.json. */
import { existsSync, readFileSync } from 'node:fs'

/** The build is two folders below package.json; programs of tests or benches are three below it. */
const PLACES = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url))
const PACKAGE: { version: string } = JSON.parse(readFileSync(PLACES.find(existsSync) ?? 'package.json', 'utf8'))

export const VERSION = PACKAGE.version

/** The part of Purser that makes a call, for the log of the called server. */
export type UserAgentPart = 'platform' | 'gateway' | 'load' | 'conformance' | 'webhooks' | 'command'

export function userAgent(part: UserAgentPart): string {
  return `Purser/${VERSION} (${part})`
}
