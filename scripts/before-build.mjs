/**
 * Runs before the compiler and prints a sentence for each reason why a build cannot work on this
 * machine. The compiler itself would fail with a stack trace or with thousands of lines.
 */
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runtimeProblem } from '../packages/runtime/src/supported.mjs'

const WRONG_USE = 2
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = join(ROOT, 'packages')

const problem = runtimeProblem(process.versions) ?? missingPackages() ?? unwritable()
if (problem !== undefined) {
  process.stderr.write(problem)
  process.exitCode = WRONG_USE
}

function missingPackages() {
  if (['typescript', 'vite'].every((name) => existsSync(join(ROOT, 'node_modules', name)))) return undefined
  return 'purser: the packages that the build needs are missing: run npm ci (not with --omit=dev or NODE_ENV=production)\n'
}

/**
 * The build overwrites every file in dist. A build as root, for example with sudo, leaves files
 * that other users cannot write.
 */
function unwritable() {
  try {
    for (const dist of readdirSync(PACKAGES).map((name) => join(PACKAGES, name, 'dist'))) {
      mkdirSync(dist, { recursive: true })
      for (const path of ['', ...readdirSync(dist, { recursive: true })])
        accessSync(join(dist, String(path)), constants.W_OK)
    }
    return undefined
  } catch (error) {
    return `purser: the build cannot write to dist (${error.message}): make this folder writable for this user, or copy it to a place that is. A finished build needs none: node packages/server/dist/main.js sandbox\n`
  }
}
