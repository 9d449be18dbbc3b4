/**
 * Runs the scenarios of `npm run faults` one after another: real processes and connections fail
 * while bets are placed.
 *
 * Exit codes: 0 good, 1 lost or doubled, 2 wrong use.
 */

import { requireFiguresPlace, writeFigures } from '@purser/simulator/doc-figures'
import { Command, InvalidArgumentError } from 'commander'
import { randomFrom } from '../support/random.ts'
import { rowOf, run, tableOf } from './run.ts'
import { SCENARIOS } from './scenarios.ts'

interface Flags {
  readonly minutes: number
  readonly only?: readonly string[]
  readonly seed: number
  readonly write?: string
}

/** The name in the marks of the page. */
const OF = 'real faults'

const program = new Command('faults')
  .description('servers, processes and links fail while bets are placed; what was answered must be there, once')
  .option('--minutes <number>', 'for all scenarios together, beside what each needs to begin and to end', toCount, 6)
  .option('--only <names>', `of ${SCENARIOS.map(({ name }) => name).join(', ')}`, toNames)
  .option('--seed <number>', 'of the moments at which something fails', toCount, 1)
  .option('--write <page>', 'writes the table into this page, where it has a place for it')
  .action(async ({ minutes, only, seed, write: page }: Flags) => {
    if (page !== undefined) requireFiguresPlace(page, OF)
    const scenarios = SCENARIOS.filter(({ name }) => only?.includes(name) ?? true)
    const forMs = (minutes * 60_000) / scenarios.length
    const results = []
    for (const scenario of scenarios) {
      process.stderr.write(`${scenario.name}: ${scenario.what} …\n`)
      const result = await run(scenario, { forMs, random: randomFrom(seed) })
      results.push(result)
      process.stderr.write(`${rowOf(result)}\n`)
    }
    const table = tableOf(results)
    process.stdout.write(`${table}\n`)
    if (results.some(({ failed }) => failed)) process.exitCode = 1
    const command = `npm run faults -- --minutes ${minutes} --seed ${seed}${only === undefined ? '' : ` --only ${only.join(',')}`}`
    if (page !== undefined) writeFigures(page, { of: OF, command, text: table })
  })
  .exitOverride()

function toCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : 0
  if (count > 0) return count
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

function toNames(text: string): string[] {
  const names = text.split(',')
  const unknown = names.filter((one) => !SCENARIOS.some(({ name }) => name === one))
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no ${unknown.join(', ')}.`)
  return names
}

await program.parseAsync().catch((error: { exitCode?: number }) => {
  if (error.exitCode === undefined) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
})
