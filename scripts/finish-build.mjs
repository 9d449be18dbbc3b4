/**
 * Runs after the compiler: deletes compiled files whose source no longer exists, and makes the
 * programs executable (`npx purser`). It never empties dist/, so that running servers keep their
 * files.
 */
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = fileURLToPath(new URL('../packages', import.meta.url))

for (const name of readdirSync(PACKAGES)) {
  const [src, dist] = [join(PACKAGES, name, 'src'), join(PACKAGES, name, 'dist')]
  if (existsSync(dist)) removeStale(src, dist)
}

// Reports are self-contained, so they include the style sheet of their pictures.
const STYLE = 'drawing/timeline.css'
copyFileSync(join(PACKAGES, 'timeline/src', STYLE), join(PACKAGES, 'timeline/dist', STYLE))

chmodSync(join(PACKAGES, 'server/dist/main.js'), 0o755)

/**
 * A folder or `x.mjs` stays while its source of the same name exists, `x.js`, `x.d.ts` and each
 * `.map` while their `.ts` source exists.
 */
function removeStale(src, dist) {
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (name === '.tsbuildinfo') continue // the compiler's own
    if (name.split(sep)[0] === 'console') continue // written by build-console.mjs
    const isFolder = statSync(join(dist, name), { throwIfNoEntry: false })?.isDirectory()
    const source = isFolder
      ? name
      : name
          .replace(/\.map$/, '')
          .replace(/(\.d)?\.ts$|\.js$/, '.ts')
          .replace(/\.d\.mts$/, '.mjs')
    if (!existsSync(join(src, source))) rmSync(join(dist, name), { recursive: true, force: true })
  }
}
