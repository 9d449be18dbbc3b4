/**
 * The faults that live verdicts name. Each is judged by a case of the kit, which has the clause,
 * the sentence, the loss and the remedy. The name of the fault groups its repetitions.
 */
import type { Operation } from '@purser/protocol/operation'
import { findRemedy } from '../../remedies/remedy.ts'
import type { WalletCase } from '../../wallet/case/wallet-case.ts'
import { WALLET_CASES } from '../../wallet/cases/wallet-cases.ts'
import type { LintRule } from '../../wallet/play/answer-lint.ts'
import { chooseClause } from '../../wallet/play/case-finding.ts'
import type { Verdict } from '../live-verdict.ts'

export const LIVE_FAULTS = {
  'unsigned bet accepted': 'signature-01',
  'unsigned result accepted': 'signature-02',
  'unsigned Unsettle accepted': 'signature-03',
  'unsigned Rollback accepted': 'signature-04',
  'unsigned User data answered': 'signature-05',
  'unsigned Balance answered': 'signature-16',
  'unsigned Check answered': 'signature-19',
  'signature over re-written JSON': 'signature-11',
  'signature over another text encoding': 'signature-12',
  'signed call refused for its signature': 'signature-09',
  'dead token accepted': 'profile-04',
  'token of another player accepted': 'profile-03',
  'missing token accepted': 'profile-02',
  'cashout with a dead token': 'cashout-05',
  'cashout with the token of another player': 'cashout-04',
  'cashout without a token': 'cashout-03',
  'live token refused': 'profile-01',
  'User data of another form': 'profile-01',
  'Balance of another form': 'profile-05',
  'Check of another form': 'profile-12',
  'invalid type accepted': 'message-02',
  'bet without an amount accepted': 'message-09',
  'result without an amount accepted': 'settle-11',
  'bet without an id accepted': 'message-05',
  'negative amount accepted': 'message-04',
  'unknown currency accepted': 'currency-01',
  'right bet refused': 'place-01',
  'amount 10.0 refused': 'signature-11',
  'third decimal refused': 'money-05',
  'stake not debited': 'place-01',
  'sufficient money refused': 'place-02',
  'stake above the balance accepted': 'place-03',
  'refused bet debited': 'place-03',
  'race of two bets': 'race-01',
  'double debit on repeat': 'place-04',
  'double debit of repeats at once': 'race-02',
  'double debit after the result': 'place-06',
  'double debit with another stake': 'place-08',
  'debit after the Rollback': 'place-07',
  'tombstone missing': 'rollback-03',
  'race of a bet and its Rollback': 'race-03',
  'lost update of a bet and a result': 'race-05',
  'lost update of calls at once': 'race-08',
  'result refused': 'settle-01',
  'lower result refused with a wrong code': 'resettle-03',
  'payout missing': 'settle-01',
  'stake paid on top of the payout': 'settle-01',
  'payout twice': 'settle-02',
  'payout twice at once': 'race-04',
  'repeated result refused': 'settle-02',
  'payout again under another resultType': 'resettle-02',
  'resettle on top': 'settle-03',
  'corrected result not applied': 'settle-03',
  'corrected result refused': 'settle-03',
  'lower result taken in part': 'resettle-03',
  'payout of an unknown bet': 'settle-04',
  'payout of a refused bet': 'settle-06',
  'settle after refund': 'rollback-07',
  'Rollback refused': 'rollback-01',
  'refund missing': 'rollback-01',
  'refund twice': 'rollback-02',
  'refund twice at once': 'race-07',
  'repeated Rollback refused': 'rollback-02',
  'refund without stake': 'rollback-03',
  'refund of a refused bet': 'rollback-05',
  'refund of the named amount': 'rollback-04',
  'refund in addition to the payout': 'rollback-06',
  'Rollback of an unknown bet refused': 'rollback-03',
  'Rollback refused for its token': 'rollback-09',
  floats: 'money-01',
  'cents lost by floats': 'money-02',
  'single minor units lost': 'money-02',
  'cents lost at three decimals': 'money-05',
  'no such path': 'answers-01',
  'no such method': 'answers-01',
  redirect: 'answers-01',
  'web page instead of JSON': 'answers-07',
  'answer without a JSON object': 'answers-07',
  'access denied': 'answers-01',
  'server error': 'answers-01',
  // Advice: the interface leaves these open.
  'repeated bet refused': 'place-10',
  'other stake under the same id accepted': 'place-18',
  'bet accepted after its Rollback': 'place-20',
  'declined bet accepted later': 'place-13',
  'bet in another currency accepted': 'currency-03',
  'result in another currency accepted': 'settle-08',
  'Rollback in another currency accepted': 'currency-06',
  'too many decimals accepted': 'money-06',
  'stake of 0 accepted': 'money-07',
  'unknown resultType accepted': 'settle-10',
  'late copy of an old result applied': 'resettle-04',
  'late copy of an old Unsettle applied': 'unsettle-11',
  'late copy refused': 'late-06',
  'refund after the result': 'rollback-13',
  'Rollback after the result refused': 'rollback-13',
  'Rollback of another amount refused': 'rollback-10',
  'Unsettle of an unknown bet accepted': 'unsettle-10',
  'Unsettle opens a cancelled bet': 'unsettle-05',
  'Unsettle takes nothing back': 'unsettle-02',
  'Unsettle takes the payout twice': 'unsettle-02',
  'Unsettle refunds the stake': 'unsettle-03',
  'Unsettle takes the named amount': 'unsettle-06',
  'Unsettle takes a part': 'unsettle-08',
  'result not paid after an Unsettle': 'unsettle-02',
} as const satisfies Readonly<Record<string, string>>

export type FaultName = keyof typeof LIVE_FAULTS

/** Faults whose remedy is in another case, because their case judges two faults. */
const REMEDY_CASES: Partial<Readonly<Record<FaultName, string>>> = {
  'refund without stake': 'rollback-05',
  'cents lost at three decimals': 'money-02',
  'amount 10.0 refused': 'money-02',
}

/** Remedies of answers that no handler of the interface has sent. */
const HTTP_REMEDIES: Partial<Readonly<Record<FaultName, string>>> = {
  'no such path': 'Serve the path of the call, or add the missing path prefix to the address of the wallet.',
  'no such method': 'Serve the path with each method of the interface: /payment/bet with POST and with PUT.',
  redirect: 'Use the final address of the wallet, because a platform follows no redirect.',
  'web page instead of JSON': 'Send the path of the call to the handler of the wallet, before the pages of the site.',
  'access denied': 'Let the calls of the platform pass, because their signature proves the sender.',
  'server error': 'Correct the error that the log of the wallet names. A refusal has HTTP status 400 and a code.',
}

const CASES = new Map(WALLET_CASES.map((one) => [one.id, one]))

type FaultFacts = Pick<Verdict, 'cause' | 'caseId' | 'clause' | 'clauseWords' | 'loses' | 'whom' | 'remedy'>

interface FaultContext {
  readonly operation?: Operation | undefined
  /** The answer was right and the balance wrong, which selects the clause. */
  readonly isOfMoney?: true
}

export function describeFault(cause: FaultName, context: FaultContext): FaultFacts {
  const caseId = LIVE_FAULTS[cause]
  const remedy = HTTP_REMEDIES[cause]
  return {
    ...describeCaseFault(cause, caseId, context),
    ...(remedy === undefined ? findCaseRemedy(REMEDY_CASES[cause] ?? caseId) : { remedy }),
  }
}

/** A fault that a case judges alone has the name of its rule. */
export function describeCaseFault(cause: string, caseId: string, { operation, isOfMoney }: FaultContext): FaultFacts {
  const one = CASES.get(caseId)
  return { cause, caseId, ...(one && describeCase(one, operation, isOfMoney)), ...findCaseRemedy(caseId) }
}

function findCaseRemedy(caseId: string): Pick<Verdict, 'remedy'> {
  const remedy = findRemedy(caseId)?.change
  return remedy === undefined ? {} : { remedy }
}

function describeCase(one: WalletCase, operation: Operation | undefined, isOfMoney?: true): FaultFacts {
  const clause = chooseClause({ ...(operation && { operation }), ...(isOfMoney && { isOfMoney }) }, one)
  const whom = findLoser(one.loses)
  return { clause: clause.name, clauseWords: clause.words, loses: one.loses, ...(whom !== undefined && { whom }) }
}

/** Undefined if no money is lost, or if either side can lose it. */
function findLoser(loses: string): 'player' | 'operator' | undefined {
  if (/^no money is lost|one side/.test(loses)) return undefined
  if (/operator (pays|loses|refunds|accepts)/.test(loses)) return 'operator'
  return /player/.test(loses) ? 'player' : undefined
}

/** A fault is only advice if its case is a SHOULD. */
export function isAdviceCase(caseId: string): boolean {
  return CASES.get(caseId)?.level === 'SHOULD'
}

/** The case about a rule for the form of answers. */
export function findFormCase(rule: LintRule): string {
  return WALLET_CASES.find((one) => 'rule' in one && one.rule === rule)?.id ?? ''
}
