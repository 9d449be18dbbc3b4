/**
 * The end of `purser dev` in words: the counts, the causes, the remedies to apply first, and the
 * command that certifies the wallet.
 */
import type { VerdictCause, VerdictSum } from '@purser/conformance/verdict/live-verdict'
import { quoteForShell } from '@purser/runtime/text/curl-command'
import { TERMINAL_WIDTH, wrapText } from '@purser/runtime/text/text-wrapping'
import type { DevOptions } from '../dev-options.ts'
import type { CallCounts } from './call-counts.ts'

/** Remedies that the end names. */
const MAX_REMEDIES = 3

export interface DevCounts extends CallCounts {
  /** The wallet has the call /user/balance. */
  readonly hasBalances: boolean
}

export function formatDevSum(sum: VerdictSum, counts: DevCounts): string[] {
  const { calls, right, wrong, advice, undecided, causes } = sum
  const verdicts = [
    `${right} right`,
    `${wrong} wrong`,
    ...(advice > 0 ? [`${advice} advised against`] : []),
    ...(undecided > 0 ? [`${undecided} undecided`] : []),
  ]
  return [
    '',
    `${calls} calls: ${verdicts.join(', ')}.`,
    ...(counts.hasBalances ? [] : wrapText(TERMINAL_WIDTH, WITHOUT_BALANCES)),
    ...describeCounts(counts),
    ...causes.map(
      ({ count, cause, kind, caseId }) =>
        `  ${count} × ${cause}${formatKind(kind)}${caseId === undefined ? '' : `  ${caseId}`}`,
    ),
    ...formatRemedies(causes),
  ]
}

const WITHOUT_BALANCES =
  'The money was not checked, because the wallet has no Balance call: "right" is said of the answers alone.'

/** A sum without a debited stake must not look like a success. */
function describeCounts({ placeBets, acceptedBets, rightReads }: CallCounts): string[] {
  const reads = `Right reads of the balance, which have no line here: ${rightReads}.`
  const refused = 'No bet was accepted, so nothing shows how the wallet moves money.'
  return [
    ...(rightReads > 0 ? [reads] : []),
    ...(placeBets === 0 ? ['No bet was placed.'] : []),
    ...(placeBets > 0 && acceptedBets === 0 ? [refused] : []),
  ]
}

function formatKind(kind: VerdictCause['kind']): string {
  return kind === 'wrong' || kind === 'right' ? '' : ` (${kind})`
}

/** Causes with the same remedy are one entry. */
function formatRemedies(causes: readonly VerdictCause[]): string[] {
  const byRemedy = new Map<string, string[]>()
  for (const { cause, remedy, example } of causes) {
    const what = remedy ?? example.sentence
    byRemedy.set(what, [...(byRemedy.get(what) ?? []), cause])
  }
  const first = [...byRemedy].slice(0, MAX_REMEDIES)
  if (first.length === 0) return []
  return [
    '',
    first.length === 1 ? 'To mend first:' : `The ${first.length} to mend first:`,
    ...first.flatMap(([remedy, names], i) => formatEntry(`${i + 1}. `, `${names.map(trimStop).join(', ')}: ${remedy}`)),
  ]
}

function trimStop(cause: string): string {
  return cause.replace(/\.$/, '')
}

const INDENT = 2

function formatEntry(number: string, text: string): string[] {
  const width = INDENT + number.length
  return wrapText(TERMINAL_WIDTH - width, text).map((part, i) => (i === 0 ? number : '').padStart(width) + part)
}

/** The command of the conformance kit for this wallet. */
export function formatCertification({ walletUrl, sources, headers }: DevOptions): string[] {
  const { file } = sources
  const target = `--base-url ${quoteForShell(walletUrl)} --secret "$PARTNER_SECRET"`
  const players = `--fixtures ${quoteForShell(file ?? 'players.json')}`
  const access = Object.keys(headers).map((name) => ` --header ${quoteForShell(`${name}: …`)}`)
  const hint = 'players.json lists your test players, as docs/guides/certify-your-wallet.md shows.'
  return [
    'The conformance kit certifies the wallet:',
    `  npx purser-conformance wallet ${target} ${players}${access.join('')}`,
    ...(file === undefined ? [hint] : []),
  ]
}
