/**
 * Writes and reads the documentation page that lists the failing cases of each mutant. The tests
 * expect exactly these failures.
 */
import { existsSync, readFileSync } from 'node:fs'
import { WALLET_CASES } from '../../src/wallet/cases/wallet-cases.ts'
import { MUTANT_IDS, MUTANTS, type MutantId } from './mutants.ts'

export const PAGE = new URL('../../../../docs/reference/conformance-mutants.md', import.meta.url).pathname

/** The failing cases of each mutant, in the order of the kit. */
export type Matrix = ReadonlyMap<MutantId, readonly string[]>

const ALL = WALLET_CASES.map(({ id }) => id)

/** The failing cases about the fault: they cover a row that it names. */
export function rightCases(id: MutantId, failed: readonly string[]): string[] {
  const rows: readonly string[] = MUTANTS[id].catches
  const isAbout = ({ covers }: (typeof WALLET_CASES)[number]) => covers.some((row) => rows.includes(row))
  return WALLET_CASES.filter((one) => failed.includes(one.id) && isAbout(one)).map((one) => one.id)
}

export function writePage(matrix: Matrix): string {
  const first = (id: MutantId) => ALL.indexOf(rightCases(id, matrix.get(id) ?? [])[0] ?? '')
  const known = MUTANT_IDS.filter((id) => matrix.has(id)).sort((a, b) => first(a) - first(b))
  const groups = [...new Set(ALL.map(groupOf))]
  const sections = groups.map((group) =>
    section(
      group,
      known.filter((id) => groupOf(ALL[first(id)] ?? '') === group),
      matrix,
    ),
  )
  return `${head(known)}${sections.join('')}`
}

function head(known: readonly MutantId[]): string {
  const withOperator = known.filter((id) => !MUTANTS[id].withoutOperatorApi).map((id) => MUTANTS[id].sentence)
  const withLongWait = known.filter((id) => MUTANTS[id].needsLongWait).map((id) => MUTANTS[id].sentence)
  return `# Faulty wallets that the kit must detect

\`PURSER_WRITE_MUTANTS=1 npx vitest run packages/conformance/test/mutants-\` writes this page, and the tests compare it.

Each row is a mutant: a small test wallet with one fault. The kit must fail a case about that fault, and it also fails other cases
that the fault affects. The wallet without a fault passes every case. Each of the ${WALLET_CASES.length} [cases](conformance-cases.md) fails
for some mutant, and no two cases fail for exactly the same mutants.

The kit has ${known.length} mutants. It detects most mutants without the operator API, with a file that has one player of each kind
([certify your wallet](../guides/certify-your-wallet.md)). These ${withOperator.length} mutants need the operator API during a case:

${withOperator.map((sentence) => `- ${sentence}`).join('\n')}

These ${withLongWait.length} mutants behave correctly for a minute, and only \`--patient\` detects them:

${withLongWait.map((sentence) => `- ${sentence}`).join('\n')}
`
}

function section(group: string, ids: readonly MutantId[], matrix: Matrix): string {
  if (ids.length === 0) return ''
  const rows = ids.map((id) => {
    const failed = matrix.get(id) ?? []
    const right = rightCases(id, failed)
    const others = failed.filter((one) => !right.includes(one))
    return `| ${MUTANTS[id].sentence} | ${shorten(right)} | ${shorten(others)} |`
  })
  return `\n## Detected by ${group}\n\n| Fault | Failing cases | Other failing cases |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

function groupOf(id: string): string {
  return id.slice(0, -3)
}

/** 'place-01, place-02, place-03' is 'place-01…03'. */
function shorten(ids: readonly string[]): string {
  const runs: string[][] = []
  for (const id of ids) {
    const run = runs.at(-1)
    const isNext = run && groupOf(id) === groupOf(run[0] ?? '') && ALL.indexOf(id) === ALL.indexOf(run.at(-1) ?? '') + 1
    if (isNext) run.push(id)
    else runs.push([id])
  }
  return runs.map((run) => (run.length === 1 ? run[0] : `${run[0]}…${run.at(-1)?.slice(-2)}`)).join(', ')
}

function lengthen(text: string): string[] {
  return [...text.matchAll(/([a-z]+-\d\d)(?:…(\d\d))?/g)].flatMap(([, first = '', last]) => {
    const end = last === undefined ? first : `${groupOf(first)}-${last}`
    return ALL.slice(ALL.indexOf(first), ALL.indexOf(end) + 1)
  })
}

/** A mutant that is not in the page has no entry. */
export function readPage(): Matrix {
  const text = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : ''
  const rows = [...text.matchAll(/^\| (.+?) \| (.*?) ?\| (.*?) ?\|$/gm)].flatMap(
    ([, sentence, right = '', others = '']) => {
      const id = MUTANT_IDS.find((one) => MUTANTS[one].sentence === sentence)
      const failed = lengthen(`${right}, ${others}`)
      return id === undefined ? [] : [[id, ALL.filter((one) => failed.includes(one))] as const]
    },
  )
  return new Map(rows)
}
