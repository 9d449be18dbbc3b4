/**
 * Writes the generated files, and the links to decisions in all pages of the docs. With `--check`
 * it writes no file, names each outdated file and exits with 1. It reads packages/server/dist/, so
 * a build must run before it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { makeConformanceCasesPage } from './conformance-cases.mjs'
import { linkIds, PAGES } from './decision-links.mjs'
import { makeGatewayOpenApi } from './openapi/gateway.mjs'
import { makePlatformOpenApi } from './openapi/platform.mjs'
import { makeWalletOpenApi } from './openapi/wallet.mjs'
import { makeCodesPage, makeConfigurationPage, makeGrantsPage } from './reference-tables.mjs'
import { makeSchemaParts } from './schema-parts.mjs'
import { makeSchemaSql } from './schema-sql.mjs'
import { makeTimelinePicture } from './timeline-picture.mjs'

const GENERATED = {
  'packages/server/openapi/wallet.json': makeWalletOpenApi,
  'packages/server/openapi/platform.json': makePlatformOpenApi,
  'packages/server/openapi/gateway.json': makeGatewayOpenApi,
  'packages/server/migrations/parts.json': makeSchemaParts,
  'packages/server/schema.sql': makeSchemaSql,
  'docs/reference/configuration.md': makeConfigurationPage,
  'docs/reference/grants.md': makeGrantsPage,
  'docs/reference/codes.md': makeCodesPage,
  'docs/reference/conformance-cases.md': makeConformanceCasesPage,
  'docs/images/lost-answer.svg': () =>
    makeTimelinePicture('lost-answer', 'A Place bet whose answer was lost, and the Rollback that gave the stake back'),
  'docs/images/corrected-result.svg': () =>
    makeTimelinePicture('corrected', 'A Place bet that came twice, a bet that won and was paid, and then had lost'),
}

const check = process.argv.includes('--check')
const outdated = []
for (const name of new Set([...Object.keys(GENERATED), ...PAGES])) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url))
  const made = (await GENERATED[name]?.(path)) ?? read(path)
  const text = PAGES.includes(name) ? linkIds(name, made) : made
  if (read(path) === text) continue
  outdated.push(name)
  if (!check) writeFileSync(path, text)
}

const list = outdated.map((name) => `  ${name}\n`).join('')
if (outdated.length === 0) process.stdout.write('generated files are up to date\n')
else if (!check) process.stdout.write(`written:\n${list}`)
else process.stderr.write(`out of date, run npm run generate:\n${list}`)
if (check && outdated.length > 0) process.exitCode = 1

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // does not exist yet
  }
}
