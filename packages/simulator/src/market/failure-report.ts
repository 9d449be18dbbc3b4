/**
 * Reports a failed run: its seed, its commit, its last events, and a file with a shortened list of
 * its random choices.
 */
import { readCommit } from '../doc-figures.ts'
import type { RunResult } from './market-run.ts'
import { classifyComplaint, type RunFile, shrinkRun, writeRunFile } from './run-file.ts'

export type Print = (line: string) => void

const MAX_EVENTS = 80
/** The limit for the first shrinking. */
const AT_ONCE_RUNS = 100

interface FailedRun<D> extends Pick<RunResult, 'seed' | 'complaints' | 'story'> {
  readonly choices: RunFile<D>['choices']
}

export async function saveFailure<D>(
  level: 2 | 3,
  failed: FailedRun<D>,
  play: (file: RunFile<D>) => Promise<Pick<RunResult, 'complaints'>>,
  print: Print,
): Promise<void> {
  const { seed, complaints, choices } = failed
  const [path, commit] = [`simulation-${level === 2 ? '' : `${level}-`}${seed}.json`, readCommit()]
  const found = classifyComplaint(complaints[0] ?? '')
  const saved: RunFile<D> = { ...(level === 2 ? {} : { level }), seed, commit, found, choices }
  writeRunFile(path, saved)
  print(`seed ${seed}, commit ${commit}:`)
  printEvents(failed, print)
  print(`again: npm run simulate -- --level ${level} --seed ${seed} --runs 1`)
  const shorter = await shrinkRun(saved, play, AT_ONCE_RUNS)
  writeRunFile(path, shorter)
  print(`kept, for when the code has changed: npm run simulate -- --file ${path}`)
  print(`${choices.length} choices became ${shorter.choices.length}; with more patience: --shrink ${path}`)
}

export function printEvents({ complaints, story }: Pick<RunResult, 'complaints' | 'story'>, print: Print): void {
  print('its last events:')
  for (const event of story.slice(-MAX_EVENTS)) print(`  ${event}`)
  for (const complaint of complaints) print(`FOUND: ${complaint}`)
}
