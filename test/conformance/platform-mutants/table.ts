/** The table mutant × case of the documentation. */
import type { Mutant } from './fault.ts'

const HEAD = `# The judge of platforms, judged

Written by \`npx vitest run test/conformance/platform-mutants.long.test.ts -u\`; the test compares it.

Each row is a small test platform that does everything right but one thing. The kit must fail the case that is about that
fault, and may fail others that suffer from it too. The right platform fails none.

| The platform … | fails | and also |
|---|---|---|
`

export function writeTable(mutants: readonly Mutant[], failed: ReadonlyMap<string, readonly string[]>): string {
  const rows = mutants.map(({ name, caughtBy, alone }) => {
    const others = (failed.get(name) ?? []).filter((id) => id !== caughtBy)
    return `| ${name} | ${caughtBy} | ${alone ? '(played alone)' : others.join(', ')} |`
  })
  return `${HEAD}${rows.join('\n')}\n`
}

/** By mutant, the ids that its row names. */
export function readRows(markdown: string): ReadonlyMap<string, readonly string[]> {
  const rows = [...markdown.matchAll(/^\| (.+?) \| (platform-\S+) \| (.*?) ?\|$/gm)]
  return new Map(
    rows.map(([, name = '', caughtBy = '', others = '']) => [
      name,
      [caughtBy, ...others.split(', ').filter((id) => id.startsWith('platform-'))],
    ]),
  )
}
