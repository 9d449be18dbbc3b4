import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Approximate seconds of the slowest files; a file without an entry is short. */
const SECONDS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('./slowest-files.json', import.meta.url), 'utf8'),
)

/**
 * Slow files run first. A slow file that begins last would keep one worker busy while the others
 * are idle.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    return others.toSorted((a, b) => this.#secondsOf(b) - this.#secondsOf(a))
  }

  #secondsOf({ moduleId }: TestSpecification): number {
    return SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0
  }
}
