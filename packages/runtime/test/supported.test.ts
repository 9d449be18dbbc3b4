/** An unsupported JavaScript runtime is refused with one sentence, before any import can fail. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { importsOf, read, sourceOf } from '../../../test/tidy/source.ts'
import { runtimeProblem } from '../src/supported.mjs'

describe('the runtime check', () => {
  test.each(['20.19.0', '20.20.2', '22.12.0', '22.22.0', '23.0.0', '24.1.0', '100.0.0'])('accepts Node %s', (node) => {
    expect(runtimeProblem({ node })).toBeUndefined()
  })

  test.each(['12.22.12', '18.20.8', '20.9.0', '20.18.3', '21.7.3', '22.11.0', ''])('rejects Node %s', (node) => {
    expect(runtimeProblem({ node })).toMatch(/^purser: Node .*install Node 20\.19 or later.* and run it with that\n$/)
  })

  test('rejects Bun and Deno, which identify as Node', () => {
    expect(runtimeProblem({ node: '24.3.0', bun: '1.4.5' })).toMatch(/^purser: Bun 1\.4\.5 cannot run this program: /)
    expect(runtimeProblem({ node: '24.3.0', deno: '2.9.6' })).toMatch(/^purser: Deno 2\.9\.6 cannot run this program: /)
  })

  test('agrees with the engines in package.json', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }
    expect(engines.node).toBe('^20.19.0 || >=22.12.0')
  })

  test('runs before every other import, in the program and in the first step of the build', () => {
    const imports = (path: string) => importsOf(sourceOf(path, read(path))).filter(({ isLater }) => !isLater)
    expect(imports('packages/runtime/src/supported.mjs')).toEqual([])
    expect(imports('packages/server/src/main.ts').map(({ from }) => from)).toEqual(['@purser/runtime/supported'])
    const ours = imports('scripts/before-build.mjs').filter(({ from }) => !from.startsWith('node:'))
    expect(ours.map(({ from }) => from)).toEqual(['../packages/runtime/src/supported.mjs'])
    expect(JSON.parse(read('package.json')).scripts.build).toMatch(/^node scripts\/before-build\.mjs && /)
  })
})
