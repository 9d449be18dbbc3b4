/**
 * Finds the quick tests nearest to a source file, by the number of imports between them, and by
 * folder and name. Imports alone are not enough, since hundreds of tests import most source files
 * through a server.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const IMPORT =
  /^(?:import|export) (?!type )[^']*?'((?:\.{1,2}|purser|@purser)\/[^']+)'|import\('((?:\.{1,2}|purser|@purser)\/[^']+)'\)/gm
const QUICK_TEST = /^(?:packages\/\w+\/)?test\/.*(?<!\.(browser|long|nightly))\.test\.ts$/
/**
 * A test of the same name comes first, then a test that imports the source itself, then a test of
 * the same folder.
 */
const [BY_OTHERS, PER_FILE, OF_FOLDER, OF_NAME] = [2, 0.1, 1, 2.5]

/** All files are read once, then the returned function finds the tests of a source. */
export function nearestTests(root) {
  const importers = importersIn(root)
  return (source, most) => {
    const distances = distancesFrom(source, importers)
    const tests = [...distances].filter(([file]) => QUICK_TEST.test(file))
    const weighed = tests.map(([file, distance]) => ({ file, weight: farness(distance) - likeness(source, file) }))
    const sorted = weighed.toSorted((a, b) => a.weight - b.weight || (a.file < b.file ? -1 : 1))
    return sorted.slice(0, most).map(({ file }) => file)
  }
}

/** File → files that import it. */
function importersIn(root) {
  const importers = new Map()
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages', 'test'], { cwd: root })
  for (const file of `${listed}`.split('\n')) {
    if (!file.endsWith('.ts') || !existsSync(join(root, file))) continue
    for (const [, plain, dynamic] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const target = fileOf(file, plain ?? dynamic)
      importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  return importers
}

/** `@purser/protocol/x` is packages/protocol/src/x.ts. */
function fileOf(file, specifier) {
  if (specifier.startsWith('.')) return join(dirname(file), specifier)
  return specifier.replace(
    /^(?:@purser\/(\w+)|purser)\/(.*)$/,
    (_, name = 'server', rest) => `packages/${name}/src/${rest}.ts`,
  )
}

function distancesFrom(source, importers) {
  const distances = new Map([[source, 0]])
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  return distances
}

function farness(distance) {
  return distance === 1 ? 0 : BY_OTHERS + PER_FILE * distance
}

function likeness(source, test) {
  const folder = test.split('/').at(-2)
  const name = basename(source, '.ts')
  const isOfFolder = dirname(source).split('/').includes(folder)
  return (isOfFolder ? OF_FOLDER : 0) + (basename(test, '.test.ts') === name ? OF_NAME : 0)
}
