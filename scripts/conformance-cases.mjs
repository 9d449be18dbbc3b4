/** Generates the tables for the documentation page about the cases of the conformance kit. */
import { splitClauses, toClausePath } from '@purser/conformance/clauses'
import { PLATFORM_CASES } from '@purser/conformance/platform/platform-cases'
import { WALLET_CASES } from '@purser/conformance/wallet/cases/wallet-cases'
import { fill, table } from './reference-tables.mjs'

export function makeConformanceCasesPage(path) {
  return fill(path, { 'wallet cases': casesTable(WALLET_CASES), 'platform cases': casesTable(PLATFORM_CASES) })
}

function casesTable(cases) {
  const rows = cases.map(({ id, level, sentence, loses, clause }) => [
    ...[`\`${id}\``, level, sentence, loses, splitClauses(clause).map(linkTo).join('; ')],
  ])
  return table(['Case', 'Level', 'Right behaviour', 'Loss otherwise', 'Clause'], rows)
}

function linkTo(clause) {
  return `[${clause}](${toClausePath(clause)})`
}
