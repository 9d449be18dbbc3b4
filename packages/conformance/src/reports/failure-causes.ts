/**
 * Groups failed cases by the change that repairs them. The change that saves most money is first.
 */

import { explainSignedBytes } from '@purser/protocol/client/signed-bytes'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import type { Exchange } from '../http-exchange.ts'
import { findRemedy } from '../remedies/remedy.ts'
import type { CaseResult } from './conformance-report.ts'

export interface FailureCause {
  readonly change: string
  /** MUST before SHOULD. */
  readonly results: readonly CaseResult[]
  /** A call with a valid signature that was rejected for its signature. */
  readonly refused: Exchange | undefined
}

/** A wallet that rejects valid signatures fails many cases for one cause. */
const SIGNATURE_CASE = 'signature-09'

export function groupByCause(failed: readonly CaseResult[]): readonly FailureCause[] {
  const byChange = new Map<string, { rank: number; results: CaseResult[]; refused: Exchange[] }>()
  for (const result of failed) {
    const refused = findWrongRefusal(result)
    const { change, rank } = findRemedy(refused === undefined ? result.id : SIGNATURE_CASE) ?? toDefaultRemedy(result)
    const cause = byChange.get(change) ?? { rank, results: [], refused: [] }
    cause.results.push(result)
    if (refused !== undefined) cause.refused.push(refused)
    byChange.set(change, cause)
  }
  const causes = [...byChange].map(([change, { rank, results, refused }]) => ({
    ...{ change, rank, results: results.toSorted((a, b) => levelRank(a) - levelRank(b)) },
    refused: pickClearest(refused),
  }))
  return causes.sort((a, b) => levelRank(a.results[0]) - levelRank(b.results[0]) || a.rank - b.rank)
}

function toDefaultRemedy({ sentence }: CaseResult) {
  return { change: `Make it so that ${sentence}.`, rank: Number.MAX_SAFE_INTEGER }
}

function levelRank(result: CaseResult | undefined): number {
  return result?.level === 'MUST' ? 0 : 1
}

/** The name of a call mentions the signature only if the case signs wrongly on purpose. */
function findWrongRefusal({ verdict }: CaseResult): Exchange | undefined {
  const last = verdict.kind === 'failed' ? verdict.exchanges.findLast(({ isLook }) => isLook !== true) : undefined
  if (last === undefined || last.answer.kind === 'none' || last.what.includes('signature: ')) return undefined
  return BAD_SIGNATURE.test(last.answer.body) ? last : undefined
}

/** The code may be a number or a string, and may be nested in another object. */
const BAD_SIGNATURE = new RegExp(`"code"\\s*:\\s*"?${REPLY_CODES.bad_signature.code}"?\\s*[,}]`)

/** The call that shows the fault most clearly: its body was printed without replaced characters. */
function pickClearest(refused: readonly Exchange[]): Exchange | undefined {
  const whole = refused.filter(({ request }) => !request.body.includes('\\u'))
  const telling = whole.filter(({ request }) => explainSignedBytes(request.body).mistakes.length > 0)
  return telling.toSorted((a, b) => a.request.body.length - b.request.body.length)[0] ?? whole[0]
}
