/** `npm run simulate`: what the rules do, searched before others find it. Exit codes as everywhere: 0 good, 1 findings, 2 wrong use. */
import { Command, InvalidArgumentError } from 'commander'
import { search } from './one-bet/search.ts'

/** Longer ones would take days. */
const LONGEST = 8

interface Flags {
  readonly level: number
  readonly length: number
}

const program = new Command('simulate')
  .description(
    'every history of one bet, judged by the wallet’s rules and by an auditor that was written from decisions.md',
  )
  .option('--level <number>', '1: one bet, by the pure rules', toLevel, 1)
  .option('--length <steps>', `up to so many steps, ${LONGEST} at most`, toLength, 6)
  .action(({ length }: Flags) => {
    for (const clawback of ['refuse', 'allow-negative'] as const) {
      const startedAt = performance.now()
      const { histories, met, found } = search({ length, clawback })
      const ms = Math.trunc(performance.now() - startedAt)
      const perMinute = Math.trunc(histories / (ms / 60_000))
      const answers = [...met].map(([answer, times]) => `${times.toLocaleString('en')} × ${answer}`).join(', ')
      process.stdout.write(
        `clawback ${clawback}: ${histories.toLocaleString('en')} histories up to ${length} steps in ${ms.toLocaleString('en')} ms, ` +
          `${perMinute.toLocaleString('en')} a minute\n  ${answers}\n`,
      )
      if (found === undefined) continue
      process.stdout.write(
        `  FOUND: ${found.complaint}\n${found.story.map((line, i) => `  ${i + 1}. ${line}\n`).join('')}`,
      )
      process.exitCode = 1
    }
  })

function toLevel(text: string): number {
  if (text === '1') return 1
  throw new InvalidArgumentError('There is level 1 so far.')
}

function toLength(text: string): number {
  const length = /^\d$/.test(text) ? Number.parseInt(text, 10) : 0
  if (length >= 1 && length <= LONGEST) return length
  throw new InvalidArgumentError(`It is a number of steps from 1 to ${LONGEST}.`)
}

program.exitOverride()
await program.parseAsync().catch((error: { exitCode?: number; code?: string }) => {
  if (error.exitCode === undefined) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
})
