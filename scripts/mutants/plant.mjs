/**
 * Plants mutations (operators.mjs) in named or changed files, one at a time: `npm run mutants --
 * --plant`. It runs the tests nearest to each mutation (nearest-tests.mjs) until one fails or the
 * time is over. All runs share one Postgres; files on disk stay unchanged.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
import { nearestTests } from './nearest-tests.mjs'
import { findFaults } from './operators.mjs'
import { sample } from './sample.mjs'
import { writeScores } from './score-table.mjs'

/** Milliseconds for the tests of one fault, which can keep them busy for ever. */
const LIMIT_MS = 150_000
/** Characters of code per line. */
const SHOWN = 120
const SECOND_MS = 1_000

/** @returns the exit code: 0 when a test has detected each fault, else 1 */
export async function plantByOperator(root, options) {
  const { files, since, tests, operators, most, seconds, seed, near, each, write } = options
  const sources = sourcesIn(root, files, since)
  if (sources.length === 0) return say('no source below packages has this name, or has changed', 2)
  const all = sources.flatMap((path) => findFaults(path, readFileSync(join(root, path), 'utf8')))
  const faults = operators === undefined ? all : all.filter(({ operator }) => operators.includes(operator))
  const chosen = sample(faults, { most, seed, each })
  say(`seed ${seed}: ${chosen.length} of ${faults.length} faults in ${sources.length} files`)
  const nearest = nearestTests(root)
  const testsOf = (path) => tests ?? nearest(path, near)
  const commit = commitOf(root)
  const results = await runEach(root, chosen, testsOf, performance.now() + seconds * SECOND_MS)
  const survivors = results.filter(({ verdict }) => verdict === 'survived')
  say(`${results.length} planted, ${survivors.length} survived`)
  if (results.length < chosen.length) say(`the time was over: ${chosen.length - results.length} were not planted`)
  if (write !== undefined) writeScores(join(root, write), results, { commit, seed, near })
  return survivors.length === 0 ? 0 : 1
}

function say(line, code = 0) {
  process.stdout.write(`${line}\n`)
  return code
}

function sourcesIn(root, files, since) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const all = git('ls-files', '-co', '--exclude-standard', 'packages').filter((path) =>
    /^packages\/\w+\/src\/.*\.ts$/.test(path),
  )
  const changed = since === undefined ? undefined : new Set(git('diff', '--name-only', since, '--', 'packages'))
  const isNamed = (path) => files.length === 0 || files.some((name) => path === name || path.startsWith(`${name}/`))
  return all.filter((path) => isNamed(path) && (changed?.has(path) ?? true))
}

function commitOf(root) {
  return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
}

function lineOf({ verdict, fault: { path, line, column, operator, was, instead }, tests }) {
  return `${verdict}: ${path}:${line}:${column} ${operator}: ${shown(was)} → ${shown(instead)}, ${tests.join(', ')}`
}

function shown(code) {
  return code.length > SHOWN ? `${JSON.stringify(code.slice(0, SHOWN))}…` : JSON.stringify(code)
}

async function runEach(root, faults, testsOf, endsAt) {
  const { module } = await runnerImport(join(root, 'packages/server/test/support/postgres-server.ts'))
  const postgres = await module.startPostgres()
  const ended = new AbortController()
  process.once('SIGINT', () => ended.abort())
  const run = (tests, fault) => tryFault({ root, postgresUrl: postgres.url, tests, fault }, ended.signal)
  const passing = new Map()
  const passes = async (test) => {
    if (!passing.has(test)) passing.set(test, (await run([test])).failed.length === 0)
    return passing.get(test)
  }
  const results = []
  try {
    for (const fault of faults) {
      if (performance.now() > endsAt) break
      const result = { fault, ...(await verdictOn(fault, testsOf(fault.path), run, passes)) }
      if (ended.signal.aborted) break
      results.push(result)
      if (result.verdict !== 'seen') say(lineOf(result))
    }
  } finally {
    await postgres.stop()
  }
  return results
}

/** A failed test counts only if it passes without the fault. */
async function verdictOn(fault, wanted, run, passes) {
  for (let tests = wanted; tests.length > 0; ) {
    const { failed } = await run(tests, fault)
    if (failed.length === 0) return { verdict: 'survived', tests }
    for (const test of failed) if (await passes(test)) return { verdict: 'seen', tests }
    tests = tests.filter((test) => !failed.includes(test))
  }
  return { verdict: 'no test', tests: [] }
}

/** Returns the failed tests; all when the run was killed or crashed. */
async function tryFault(what, ended) {
  const script = fileURLToPath(new URL('try-fault.mjs', import.meta.url))
  const stdio = ['ignore', 'pipe', 'ignore']
  const child = spawn(process.execPath, [script, JSON.stringify(what)], { cwd: what.root, stdio, detached: true })
  const end = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL') // kills its workers too
  }
  const timer = setTimeout(end, LIMIT_MS)
  ended.addEventListener('abort', end)
  const [text] = await Promise.all([readText(child.stdout), once(child, 'close')])
  clearTimeout(timer)
  ended.removeEventListener('abort', end)
  const json = /\{"failed".*\}$/.exec(text)?.[0]
  return json === undefined ? { failed: what.tests } : JSON.parse(json)
}
