/**
 * Builds the console into packages/server/dist/console with Vite and compresses each file. An
 * unchanged console is not built again, because each `npm test` begins with a build.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = join(ROOT, 'packages/server/dist/console')
const MARK = join(OUT, 'built-from')
const LIBRARIES = ['react', 'react-dom', 'wouter', '@tanstack/react-query', 'uplot', 'vite']

const key = hashOfSources()
if (!existsSync(MARK) || readFileSync(MARK, 'utf8') !== key) {
  const { build } = await import('vite')
  await build({ configFile: join(ROOT, 'packages/console/vite.config.mjs') })
  for (const path of filesBelow(OUT).filter((name) => /\.(js|css|svg|html)$/.test(name)))
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
  writeFileSync(MARK, key)
}

function hashOfSources() {
  const hash = createHash('sha256')
  const shared = [
    'packages/timeline/src',
    'packages/server/src/wallet',
    'packages/server/src/reconcile',
    'packages/protocol/src',
    'packages/runtime/src',
  ].flatMap((folder) => filesBelow(join(ROOT, folder)))
  for (const path of [
    ...filesBelow(join(ROOT, 'packages/console/src')),
    ...shared,
    fileURLToPath(import.meta.url),
  ].sort())
    hash.update(path.slice(ROOT.length)).update(readFileSync(path))
  for (const name of LIBRARIES) hash.update(readFileSync(join(ROOT, 'node_modules', name, 'package.json')))
  return hash.digest('hex')
}

function filesBelow(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile())
}
