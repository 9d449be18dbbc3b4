import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Seconds of the slowest files, roughly. A file without an entry is short. */
const SECONDS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('./slowest-files.json', import.meta.url), 'utf8'),
)

/** A slow file that begins last would keep one worker busy while the others have nothing to do. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    return others.toSorted((a, b) => this.#secondsOf(b) - this.#secondsOf(a))
  }

  #secondsOf({ moduleId }: TestSpecification): number {
    return SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0
  }
}
