/**
 * `npm run mutants` plants one fault after another (faults.mjs) and runs the tests that must detect
 * it. Each fault is a project of one vitest run on one Postgres; files on disk stay unchanged.
 *
 * The exit code is 1 when no test detects a fault, a fault no longer fits the source, or tests
 * cannot start with a fault.
 *
 * - `npm run mutants -- decide` plants only in files of that name.
 * - `--part 2/5` plants every fifth fault from the second on.
 * - `--part today/10` plants the part of this day, so that ten days plant all faults.
 * - `--plant` plants by operator instead (plant.mjs).
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'
import { FAULTS } from './faults.mjs'
import { ON_SOURCES } from './on-sources.mjs'
import { plantByOperator } from './plant.mjs'

// A fault may show only in a table row that runs at night.
process.env.PURSER_NIGHTLY = '1'
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Milliseconds for one test; a fault may keep it waiting for ever. */
const TEST_TIMEOUT_MS = 30_000
const DAY_MS = 86_400_000

const USAGE = `npm run mutants [-- NAME] [--part 2/5 | --part today/10]
  plants the faults of the table, all or those of files with NAME in their path, all or a part of them
npm run mutants -- --plant [FILE | FOLDER]… [--since REVISION]
  plants by operator in these sources, or in those that have changed since a revision:
  --most 30        faults at most; --each 8: of each folder
  --operators await,argument   these alone, of condition, boundary, constant, await, argument, statement
  --seconds 600    no fault is planted after this time
  --seed 1         chooses the faults, the same ones for the same seed
  --near 5         tests at most for each source; --tests FILE,FILE: these tests instead
  --write PAGE     writes the scores by folder into this page
ends with 1 when a fault survives
`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ part: { type: 'string' }, help: { type: 'boolean' }, plant: { type: 'boolean' }, since: { type: 'string' } },
    ...{ most: { type: 'string' }, each: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
    ...{
      near: { type: 'string' },
      tests: { type: 'string' },
      write: { type: 'string' },
      operators: { type: 'string' },
    },
  },
})
if (values.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
if (values.plant) {
  const { since, write } = values
  const [tests, operators] = [values.tests?.split(','), values.operators?.split(',')]
  const numbers = { most: numberOf('most', 30), seconds: numberOf('seconds', 600), seed: numberOf('seed', 1) }
  const chosen = { ...numbers, near: numberOf('near', 5), each: numberOf('each') }
  process.exit(await plantByOperator(ROOT, { files: positionals, since, write, tests, operators, ...chosen }))
}
const [wanted = ''] = positionals
const isMine = partOf(values.part ?? '1/1')
const faults = FAULTS.filter(({ file }, i) => file.includes(wanted) && isMine(i)).map((fault, i) => ({
  ...fault,
  name: `fault ${i + 1}`,
}))
const gone = faults.filter(({ file, search }) => textOf(file).split(search).length !== 2)
const planted = faults.filter((fault) => !gone.includes(fault))

const results = planted.length === 0 ? new Map() : await runAll()
const verdicts = planted.map((fault) => [verdictOn(results.get(fault.name) ?? []), fault])
const bad = [
  ...gone.map((fault) => ['is not there once', fault]),
  ...verdicts.filter(([verdict]) => verdict !== 'killed'),
]
for (const [verdict, { file, search, planted: instead, tests }] of bad)
  process.stdout.write(
    `${verdict}: ${file}: ${JSON.stringify(search)} → ${JSON.stringify(instead)}, ${tests.join(', ')}\n`,
  )
process.stdout.write(`${faults.length} faults, ${faults.length - bad.length} killed\n`)
process.exitCode = bad.length === 0 ? 0 : 1

function numberOf(name, fallback) {
  const text = values[name]
  if (text === undefined) return fallback
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  process.stderr.write(`--${name} is a whole number from 1 on, not ${text}\n`)
  process.exit(2)
}

function partOf(text) {
  const [, part = '', parts = ''] = /^(today|\d+)\/([1-9]\d*)$/.exec(text) ?? []
  const first = part === 'today' ? Math.floor(Date.now() / DAY_MS) % parts : part - 1
  if (parts === '' || first < 0 || first >= parts) {
    process.stderr.write('which part? as in: npm run mutants -- --part 2/5\n')
    process.exit(2)
  }
  process.stdout.write(`faults of part ${first + 1} of ${parts}\n`)
  return (i) => i % parts === first
}

async function runAll() {
  const projects = planted.map((fault) => ({
    root: ROOT,
    plugins: [planting(fault)],
    ...ON_SOURCES,
    test: { name: fault.name, include: fault.tests, testTimeout: TEST_TIMEOUT_MS, hookTimeout: TEST_TIMEOUT_MS },
  }))
  const vitest = await startVitest('test', [], {
    ...{ root: ROOT, config: false, watch: false, reporters: [{}], maxWorkers: 2, projects },
    globalSetup: ['packages/server/test/support/postgres-server.ts'],
  })
  const found = new Map()
  for (const file of vitest.state.getTestModules())
    found.set(file.project.name, [...(found.get(file.project.name) ?? []), file])
  await vitest.close()
  process.exitCode = 0 // failed tests are the aim
  return found
}

function planting({ file, search, planted: instead }) {
  const path = `${ROOT}${file}`
  return {
    name: 'purser-fault',
    enforce: 'pre',
    transform: (code, id) => (id.split('?')[0] === path ? code.replace(search, () => instead) : undefined),
  }
}

function verdictOn(files) {
  const tests = files.flatMap((file) => [...file.children.allTests()])
  if (tests.length === 0) return 'no test ran'
  const isSeen = files.some((file) => file.state() === 'failed') // a test, or its setup
  return isSeen ? 'killed' : 'survived'
}

function textOf(file) {
  return readFileSync(`${ROOT}${file}`, 'utf8')
}
