/** What is said and kept of a run that failed: seed and commit, its last events as a story, and a file of its choices, made shorter at once. */
import { commitOf } from '../figures.ts'
import type { RunResult } from './run.ts'
import { kindOfComplaint, type RunFile, shrink, writeRunFile } from './run-file.ts'

export type Say = (line: string) => void

/** Events that a failure tells. */
const TOLD = 80
/** Runs of the shrinking of a failure that has just been found. */
const AT_ONCE_RUNS = 100

interface Failed<D> extends Pick<RunResult, 'seed' | 'complaints' | 'story'> {
  readonly choices: RunFile<D>['choices']
}

export async function keepFailure<D>(
  level: 2 | 3,
  failed: Failed<D>,
  play: (file: RunFile<D>) => Promise<Pick<RunResult, 'complaints'>>,
  say: Say,
): Promise<void> {
  const { seed, complaints, choices } = failed
  const [path, commit] = [`simulation-${level === 2 ? '' : `${level}-`}${seed}.json`, commitOf()]
  const found = kindOfComplaint(complaints[0] ?? '')
  const kept: RunFile<D> = { ...(level === 2 ? {} : { level }), seed, commit, found, choices }
  writeRunFile(path, kept)
  say(`seed ${seed}, commit ${commit}:`)
  tellEvents(failed, say)
  say(`again: npm run simulate -- --level ${level} --seed ${seed} --runs 1`)
  const shorter = await shrink(kept, play, AT_ONCE_RUNS)
  writeRunFile(path, shorter)
  say(`kept, for when the code has changed: npm run simulate -- --file ${path}`)
  say(`${choices.length} choices became ${shorter.choices.length}; with more patience: --shrink ${path}`)
}

export function tellEvents({ complaints, story }: Pick<RunResult, 'complaints' | 'story'>, say: Say): void {
  say('its last events:')
  for (const event of story.slice(-TOLD)) say(`  ${event}`)
  for (const complaint of complaints) say(`FOUND: ${complaint}`)
}
