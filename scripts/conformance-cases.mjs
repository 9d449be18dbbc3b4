/** The tables of all cases of the conformance kit, for their page. */
import { PLATFORM_CASES } from '../dist/conformance/platform/cases.js'
import { CASES } from '../dist/conformance/wallet/cases/all.js'
import { fill, table } from './reference-tables.mjs'

/** The page with its tables as they should be. */
export function makeConformanceCasesPage(path) {
  return fill(path, { 'wallet cases': casesTable(CASES), 'platform cases': casesTable(PLATFORM_CASES) })
}

function casesTable(cases) {
  const rows = cases.map(({ id, level, sentence, loses, clause, covers }) => [
    ...[`\`${id}\``, level, sentence, loses, clause, covers.join(' ')],
  ])
  return table(['Case', 'Level', 'What is right', 'What is lost when it is not', 'Clause', 'Rows'], rows)
}
