/**
 * Packs the published packages into tarballs: `node scripts/pack.mjs FOLDER [NAME…]`.
 *
 * Each tarball is complete. Its node_modules contains the other packages of this repository that it
 * needs, so that it installs in an empty folder. Tests, sources and source maps stay out.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = new Map(
  readdirSync(join(ROOT, 'packages')).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8'))
    return [manifest.name, { folder: join(ROOT, 'packages', folder), manifest }]
  }),
)
/** Package → what it publishes. `types` adds the declarations for an import in TypeScript. */
const PUBLISHED = {
  '@purser/protocol': { types: true, files: [] },
  '@purser/conformance': { types: false, files: ['bin'] },
  purser: { types: false, files: ['bin', 'migrations', 'openapi', 'vendor', 'schema.sql'] },
}
const REPOSITORY = 'https://github.com/purser-wallet/purser'

const [out, ...names] = process.argv.slice(2)
if (out === undefined) {
  process.stderr.write('where to? node scripts/pack.mjs FOLDER [NAME…]\n')
  process.exit(2)
}
for (const name of names.length > 0 ? names : Object.keys(PUBLISHED)) {
  const stage = join(out, 'stage', name)
  stagePackage(name, stage)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: stage,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  rmSync(stage, { recursive: true })
}
rmSync(join(out, 'stage'), { recursive: true, force: true })

function stagePackage(name, stage) {
  const { folder } = PACKAGES.get(name)
  const { types, files } = PUBLISHED[name]
  const own = ownDependencies(name)
  copyDist(folder, stage, types)
  for (const file of files) cpSync(join(folder, file), join(stage, file), { recursive: true })
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(join(ROOT, file), join(stage, file))
  writeFileSync(join(stage, 'README.md'), withAbsoluteLinks(readFileSync(join(folder, 'README.md'), 'utf8'), folder))
  for (const one of own) {
    const bundled = join(stage, 'node_modules', one)
    copyDist(PACKAGES.get(one).folder, bundled, types)
    writeManifest(bundled, { ...PACKAGES.get(one).manifest, files: undefined })
  }
  writeManifest(stage, publishedManifest(name, own, files))
}

function publishedManifest(name, own, files) {
  const { folder, manifest: source } = PACKAGES.get(name)
  const { publishConfig, ...manifest } = source
  const all = Object.assign({}, ...own.map((one) => PACKAGES.get(one).manifest.dependencies), manifest.dependencies)
  return {
    ...manifest,
    ...publishConfig,
    repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder.slice(ROOT.length) },
    bugs: `${REPOSITORY}/issues`,
    homepage: `${REPOSITORY}#readme`,
    files: ['dist', ...files, 'CHANGELOG.md'],
    dependencies: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))),
    bundleDependencies: own,
  }
}

/** The packages of this repository that `name` needs, directly or through others. */
function ownDependencies(name, found = new Set()) {
  for (const one of Object.keys(PACKAGES.get(name).manifest.dependencies ?? {}))
    if (PACKAGES.has(one) && !found.has(one)) ownDependencies(one, found.add(one))
  return [...found].sort()
}

function copyDist(folder, stage, types) {
  const isWanted = (path) =>
    statSync(path).isDirectory() ||
    (!/\.map$|\.tsbuildinfo$|built-from$/.test(path) && (types || !/\.d\.m?ts$/.test(path)))
  mkdirSync(stage, { recursive: true })
  if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder}/dist is missing: npm run build`)
  cpSync(join(folder, 'dist'), join(stage, 'dist'), { recursive: true, filter: isWanted })
}

/** An import of a tarball never reaches sources. */
function writeManifest(folder, manifest) {
  mkdirSync(folder, { recursive: true })
  const text = JSON.stringify(manifest, (key, value) => (key === 'source' ? undefined : value), 2)
  writeFileSync(join(folder, 'package.json'), `${text}\n`)
}

/** Pages of the repository are not part of a tarball. */
function withAbsoluteLinks(text, folder) {
  return text.replace(/\]\((?!https?:|#)([^)\s]+)/g, (_, link) => {
    const path = new URL(link, `file://${folder}/`).pathname.slice(ROOT.length)
    return `](${REPOSITORY}/blob/main/${path}`
  })
}
