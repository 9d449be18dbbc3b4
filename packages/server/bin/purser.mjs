#!/usr/bin/env node
/**
 * Starts the program `purser` (dist/main.js). npm links this file before the first build creates
 * dist.
 */
import { existsSync } from 'node:fs'

const MAIN = new URL('../dist/main.js', import.meta.url)

if (existsSync(MAIN)) await import(MAIN.href)
else {
  process.stderr.write('purser: the program is not built: run npm run build\n')
  process.exitCode = 2
}
