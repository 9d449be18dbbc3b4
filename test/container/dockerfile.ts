/**
 * Reads the Dockerfile and replays its build without Docker: each build stage is a folder in which
 * the commands of that stage run.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast'
import { ROOT, read } from '../tidy/source.ts'

export interface Step {
  readonly keyword: string
  /** Words of COPY, command of RUN, pairs of ENV, or parts of a JSON array. */
  readonly words: readonly string[]
  readonly from?: string | undefined
}

export interface Stage {
  readonly image: string
  readonly name: string | undefined
  readonly steps: readonly Step[]
}

export const DOCKERFILE = read('Dockerfile')

export function stagesOf(text: string): Stage[] {
  const file = DockerfileParser.parse(text)
  const stages: { image: string; name: string | undefined; steps: Step[] }[] = []
  for (const from of file.getFROMs())
    stages.push({ image: from.getImage() ?? '', name: from.getBuildStage() ?? undefined, steps: [] })
  let stage = -1
  for (const instruction of file.getInstructions()) {
    if (instruction.getKeyword() === 'FROM') stage++
    else stages[stage]?.steps.push(stepOf(instruction))
  }
  return stages
}

function stepOf(instruction: Instruction): Step {
  const keyword = instruction.getKeyword()
  const from =
    keyword === 'COPY'
      ? (instruction as Copy)
          .getFlags()
          .find((flag) => flag.getName() === 'from')
          ?.getValue()
      : undefined
  return { keyword, words: wordsOf(instruction), from: from ?? undefined }
}

function wordsOf(instruction: Instruction): string[] {
  const text = instruction.getArgumentsContent() ?? ''
  if (instruction.getKeyword() === 'RUN') return [text]
  return text.includes('[') ? JSON.parse(text.slice(text.indexOf('['))) : text.split(/\s+/)
}

export function stepsOf({ steps }: Stage, keyword: string): Step[] {
  return steps.filter((step) => step.keyword === keyword)
}

/**
 * Builds the stages below `roots`; returns the root of the last one. Only files that COPY names
 * come from the repository.
 */
export function replay(stages: readonly Stage[], roots: string): string {
  const rootOf = (name: string) => join(roots, name)
  stages.forEach((stage, i) => {
    let folder = '/'
    const root = rootOf(stage.name ?? `${i}`)
    mkdirSync(root, { recursive: true })
    for (const { keyword, words, from } of stage.steps) {
      if (keyword === 'WORKDIR') folder = words[0] ?? '/'
      mkdirSync(join(root, folder), { recursive: true })
      if (keyword === 'COPY') copy(words, from === undefined ? ROOT : rootOf(from), root, folder)
      if (keyword === 'RUN') runIn(join(root, folder), words[0] ?? '')
    }
  })
  return rootOf(`${stages.length - 1}`)
}

/**
 * The content of a folder goes into the target; a file goes below a target that ends in a slash.
 */
function copy(words: readonly string[], source: string, root: string, folder: string): void {
  const target = words.at(-1) ?? ''
  const to = target.startsWith('/') ? join(root, target) : join(root, folder, target)
  for (const name of words.slice(0, -1))
    cpSync(join(source, name), target.endsWith('/') ? join(to, basename(name)) : to, {
      recursive: true,
      verbatimSymlinks: true,
    })
}

function runIn(cwd: string, command: string): void {
  const { PATH, HOME } = process.env
  execFileSync('sh', ['-ec', command], { cwd, env: { PATH, HOME }, stdio: 'pipe' })
}
