/**
 * The container image has the right content, serves, and writes only to its data folder. The test
 * builds it in a folder without Docker.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DOCKERFILE, replay, type Step, stagesOf, stepsOf } from './container/dockerfile.ts'
import { read } from './tidy/source.ts'

const STAGES = stagesOf(DOCKERFILE)
const BUILD_MS = 300_000
let folder: string
let root: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'purser-image-'))
  root = replay(STAGES, folder)
}, BUILD_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function lastOf(keyword: string): Step {
  const step = stepsOf(STAGES.at(-1) ?? { image: '', name: undefined, steps: [] }, keyword).at(-1)
  if (step === undefined) throw new Error(`no ${keyword}`)
  return step
}

/** Environment of the image, with its absolute paths moved below the root, and a free port. */
function environment(port: string): Record<string, string> {
  const pairs = lastOf('ENV').words.map((word) => word.split(/=(.*)/s).slice(0, 2) as [string, string])
  const moved = pairs.map(([name, value]) => [name, value.startsWith('/') ? join(root, value) : value])
  return { PATH: process.env.PATH ?? '', ...Object.fromEntries(moved), PORT: port }
}

/** Starts the entry point with the default command, as `docker run` does. */
async function whileRunning(work: (url: string, output: () => string) => Promise<void>): Promise<void> {
  const [, main = '', ...rest] = [...lastOf('ENTRYPOINT').words, ...lastOf('CMD').words]
  const child = spawn(process.execPath, [join(root, main), ...rest], { cwd: join(root, 'app'), env: environment('0') })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  try {
    const url = () => /"url":"([^"]+)"/.exec(output)?.[1]
    await expect.poll(url, { timeout: 30_000, message: 'the wallet listens' }).toBeTruthy()
    await work(url() ?? '', () => output)
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
}

/** Files outside /data with the times of their last change. */
function filesOutsideData(): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => !/^data(\/|$)/.test(name))
  return names.map((name) => `${name} ${lstatSync(join(root, name)).mtimeMs}`)
}

describe('the container image', () => {
  test('contains the program and its runtime dependencies, and no development package, test or source', () => {
    const { dependencies } = JSON.parse(read('packages/server/package.json'))
    const { devDependencies } = JSON.parse(read('package.json'))
    const installed = (name: string) => readdirSync(join(root, 'app/node_modules', name, '..')).length > 0
    for (const name of Object.keys(dependencies)) expect(installed(name), name).toBe(true)
    const packages = execFileSync('find', ['node_modules', '-name', 'package.json'], { cwd: join(root, 'app') })
    const names = packages.toString().split('\n')
    for (const name of Object.keys(devDependencies)) expect(names).not.toContain(`node_modules/${name}/package.json`)
    expect(readdirSync(join(root, 'app')).sort()).toEqual(['LICENSE', 'node_modules', 'package.json', 'packages'])
    expect(readdirSync(join(root, 'data'))).toEqual([])
  })

  test('serves, is reported healthy, and writes below /data only', async () => {
    const before = filesOutsideData()
    await whileRunning(async (url, output) => {
      const port = new URL(url).port
      const [, ...check] = lastOf('HEALTHCHECK').words
      await promisify(execFile)(process.execPath, check, { env: environment(port) })
      expect(url).toBe(`http://127.0.0.1:${port}`)
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      expect((await fetch(`${url}/docs`)).status).toBe(200)
      const match = /OPERATOR_API_KEY was not set; using (\S+), kept in (\S+)/.exec(output())
      expect(readFileSync(match?.[2] ?? '', 'utf8').trim()).toBe(match?.[1])
      const audit = await fetch(`${url}/operator/audit`, { headers: { authorization: `Bearer ${match?.[1]}` } })
      expect(await audit.json()).toMatchObject({ ok: true })
    })
    expect(filesOutsideData()).toEqual(before)
    expect(readdirSync(join(root, 'data'))).toEqual(expect.arrayContaining(['operator-api-key', 'pglite']))
  })

  test('is reported unhealthy when no server answers', async () => {
    const [, ...check] = lastOf('HEALTHCHECK').words
    const dead = promisify(execFile)(process.execPath, check, { env: environment('1') })
    await expect(dead).rejects.toMatchObject({ code: 1 })
  })
})
