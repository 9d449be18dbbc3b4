/** The version of this package, as package.json says it. */
import { readFileSync } from 'node:fs'

const PACKAGE: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

export const VERSION = PACKAGE.version
