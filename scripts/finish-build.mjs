/**
 * Runs after the compiler: deletes output without a source and makes the program executable (`npx
 * purser`). It never empties packages/server/dist/, so that running servers keep their files.
 */
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const SRC = fileURLToPath(new URL('../src', import.meta.url))

/**
 * A folder or `x.mjs` stays while its source of the same name exists, `x.js` and each `.map` while
 * their `.ts` source exists.
 */
for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
  if (name.split(sep)[0] === 'console') continue // written by build-console.mjs
  const isFolder = statSync(join(DIST, name), { throwIfNoEntry: false })?.isDirectory()
  const source = isFolder ? name : name.replace(/\.map$/, '').replace(/\.js$/, '.ts')
  if (!existsSync(join(SRC, source))) rmSync(join(DIST, name), { recursive: true, force: true })
}

// Reports are self-contained, so they include the style sheet of their pictures.
copyFileSync(join(SRC, 'timeline/drawing/timeline.css'), join(DIST, 'timeline/drawing/timeline.css'))

chmodSync(join(DIST, 'main.js'), 0o755)
