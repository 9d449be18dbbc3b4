/** Each program that an npm script compiles prints its help when it is started with --help. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TSC = 'node_modules/typescript/bin/tsc'
const run = promisify(execFile)

test.each([
  ['bench', 'bench/compare'],
  ['packages/server/test/faults', 'packages/server/test/faults/command'],
  ['packages/simulator/test/fuzz', 'packages/simulator/test/fuzz/command'],
  ['packages/simulator/test', 'packages/simulator/test/command'],
])('%s compiles, and %s prints its help', async (folder, program) => {
  await run(process.execPath, [TSC, '-p', `${folder}/tsconfig.json`], { cwd: ROOT })
  const { stdout } = await run(process.execPath, [`dist-bench/${program}.js`, '--help'], { cwd: ROOT })
  expect(stdout).toMatch(/Usage|npm run/)
})

test('each npm script runs a program of dist-bench whose source exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const programs = Object.values(scripts).flatMap((script) => /node dist-bench\/(\S+)\.js/.exec(script)?.[1] ?? [])
  expect(programs.length).toBeGreaterThan(10)
  expect(programs.filter((program) => !existsSync(join(ROOT, `${program}.ts`)))).toEqual([])
})
