/**
 * The packed tarball in an empty project: its program, its pages, and the targets of their links.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anchorsOf, relativeLinksOf } from './docs/markdown.ts'
import { ROOT, read } from './tidy/source.ts'

const INSTALL_MS = 180_000
const { version }: { version: string } = JSON.parse(read('package.json'))
let project: string
let installed: { stdout: string; stderr: string; status: number | null }
const inPackage = (name: string) => join(project, 'node_modules/purser', name)

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'purser-package-'))
  const pack = ['pack', '--ignore-scripts', '--pack-destination', project]
  execFileSync('npm', pack, { cwd: ROOT, stdio: 'pipe' })
  writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true}')
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? ''
  installed = spawnSync('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`], {
    cwd: project,
    encoding: 'utf8',
  })
}, INSTALL_MS)
afterAll(() => rmSync(project, { recursive: true, force: true }))

test('npm installs the package without a warning about the Node version', () => {
  expect(installed.status, installed.stderr).toBe(0)
  expect(installed.stderr + installed.stdout).not.toMatch(/EBADENGINE|Unsupported engine|deprecated/)
})

test('npx purser runs the program of the package', () => {
  const { stdout, stderr, status } = spawnSync('npx', ['--no-install', 'purser', '--version'], {
    cwd: project,
    encoding: 'utf8',
  })
  expect({ stdout, status }, stderr).toEqual({ stdout: `${version}\n`, status: 0 })
})

test('the pages of the package link only to files that it contains', () => {
  const names = readdirSync(inPackage('.'), { recursive: true, encoding: 'utf8' })
  const pages = names.filter((name) => name.endsWith('.md') && !name.startsWith('node_modules'))
  expect(pages.length).toBeGreaterThan(10)
  const dead = pages.flatMap((page) => {
    const links = relativeLinksOf(readFileSync(inPackage(page), 'utf8'))
    return links.filter((link) => !leadsSomewhere(page, link)).map((link) => `${page}: ${link}`)
  })
  expect(dead).toEqual([])
})

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(inPackage(file))) return false
  return anchor === undefined || anchorsOf(readFileSync(inPackage(file), 'utf8')).includes(anchor)
}
