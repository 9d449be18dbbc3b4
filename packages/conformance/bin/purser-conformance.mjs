#!/usr/bin/env node
/**
 * The program `purser-conformance`. npm links this file before the first build has made the
 * compiled one.
 */
import { existsSync } from 'node:fs'

const MAIN = new URL('../dist/main.js', import.meta.url)

if (existsSync(MAIN)) await import(MAIN.href)
else {
  process.stderr.write('purser-conformance: the program is not built: run npm run build\n')
  process.exitCode = 2
}
