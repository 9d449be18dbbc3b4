/** Writes and reads the documentation's table of the mutants and their failing cases. */
import type { Mutant } from './fault.ts'

const HEAD = `# Faulty platforms that the kit must detect

\`PURSER_NIGHTLY=1 npx vitest run packages/conformance/test/platform-mutants.long.test.ts -u\` writes this page, and the test compares it.

Each row is a small test platform with one fault. The kit must fail the case about that fault, and it may fail other cases that the
fault affects. The platform without a fault passes every case.

| The platform … | Failing case | Other failing cases |
|---|---|---|
`

export function writeTable(mutants: readonly Mutant[], failed: ReadonlyMap<string, readonly string[]>): string {
  const rows = mutants.map(({ name, caughtBy, alone }) => {
    const others = (failed.get(name) ?? []).filter((id) => id !== caughtBy)
    return `| ${name} | ${caughtBy} | ${alone ? '(played alone)' : others.join(', ')} |`
  })
  return `${HEAD}${rows.join('\n')}\n`
}

export function readRows(markdown: string): ReadonlyMap<string, readonly string[]> {
  const rows = [...markdown.matchAll(/^\| (.+?) \| (platform-\S+) \| (.*?) ?\|$/gm)]
  return new Map(
    rows.map(([, name = '', caughtBy = '', others = '']) => [
      name,
      [caughtBy, ...others.split(', ').filter((id) => id.startsWith('platform-'))],
    ]),
  )
}
