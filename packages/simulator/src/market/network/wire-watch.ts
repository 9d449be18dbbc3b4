/**
 * Passes each call to a wallet, and its answer, to the auditor. Checks that a repeated call gets
 * the same answer as the first.
 */

import { OPERATIONS, parseBetOperation } from '@purser/protocol/operation'
import { signBody } from '@purser/protocol/signature'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import { listCurrencies } from '../actors/operator-staff.ts'
import type { OperatorState } from '../actors/operator-state.ts'
import { isSystemErrorReply, type MessageMembers, parseCode, parseMessage } from '../actors/reply-parsing.ts'
import { OTHER_PLATFORM, OTHER_SECRET } from '../databases/market-store.ts'
import { type Auditor, type AuditorSnapshot, createAuditor, type ObservedCall } from '../oracle/market-auditor.ts'
import { type OddsWatch, watchOdds } from '../oracle/odds-watch.ts'
import { formatProfile, listPossibleProfiles } from '../oracle/profile-check.ts'
import { DEFAULT_SCENARIO, type Scenario, toMoneyRules } from '../scenario.ts'
import type { StoryNames } from '../story-names.ts'
import type { NetworkAnswer, NetworkRequest } from './simulated-network.ts'

export interface WireWatch extends Pick<Auditor, 'movedOf' | 'checksOf' | 'cash'> {
  /** A call has reached the wallet. The returned function receives the answer, if one follows. */
  arrives(request: NetworkRequest): (answer: NetworkAnswer) => void
  died(): void
  readonly standing: OperatorState
  /** The recorded anomalies (W-49). */
  readonly odds: Pick<OddsWatch, 'audit'>
  /** The auditor's state, for a backup that is made now. */
  keep(): WireSnapshot
  /** The backup with this state has been restored. */
  restored(kept: WireSnapshot): void
  complaints(): readonly string[]
}

export interface WireSnapshot {
  readonly audit: AuditorSnapshot
  readonly first: ReadonlyMap<string, string>
}

/** `answered` receives each answer too. */
export function watchWire(
  names: StoryNames,
  answered: (request: NetworkRequest, answer: NetworkAnswer) => void,
  scenario: Scenario = DEFAULT_SCENARIO,
): WireWatch {
  const [auditor, odds] = [createAuditor(toMoneyRules(scenario)), watchOdds(toMoneyRules(scenario))]
  const complaints: string[] = []
  /** The first success of each call. */
  const first = new Map<string, string>()
  let [calls, restores] = [0, 0]
  const isSame = (sent: string, text: string) => {
    const before = first.get(sent) ?? text
    first.set(sent, before)
    return before === text || `a repeat had another answer than its original (R-2): ${text}, ${before}`
  }
  const aboutBet = (kind: ObservedCall['kind'], message: MessageMembers, sent: string, isOfOther: boolean) => {
    const [id, before] = [++calls, restores]
    const betId = isOfOther ? `${message.transactionId} of the ${OTHER_PLATFORM}` : `${message.transactionId}`
    if (kind === 'place' && !isOfOther) odds.placed(message)
    auditor.arrived(
      id,
      { player: playerOf(message), betId, currency: `${message.currency}` },
      toObservedCall(kind, message),
    )
    return (answer: NetworkAnswer) => {
      const text = answer.body.toString('utf8')
      const complaint = auditor.answered(id, betId, toCallVerdict(answer), readTransactionTime(answer))
      if (complaint !== undefined) complaints.push(`${names.bet(betId)}: ${complaint}`)
      const same = answer.status !== 200 || restores !== before || isSame(`${kind} ${sent}`, text)
      if (same !== true) complaints.push(`${names.bet(betId)}: ${same}`)
    }
  }
  const mayShow = (token: string) => listPossibleProfiles(auditor.tokens, token, listCurrencies(scenario))
  return {
    arrives(request) {
      const { method, path, body } = request
      const text = body.toString('utf8')
      const message = parseMessage(request)
      const kind = path === '/payment/bet' ? parseBetOperation(method, message.type) : undefined
      const onAnswer =
        kind !== undefined
          ? aboutBet(kind, message, text, isOfOtherPlatform(request))
          : path === OPERATIONS.profile.path
            ? watchProfile(() => mayShow(`${message.token}`), complaints)
            : undefined
      return (answer) => {
        answered(request, answer)
        onAnswer?.(answer)
      }
    },
    died: () => auditor.died(),
    movedOf: auditor.movedOf,
    checksOf: auditor.checksOf,
    cash: auditor.cash,
    standing: auditor,
    odds,
    keep: () => ({ audit: auditor.keep(), first: new Map(first) }),
    restored(kept) {
      restores += 1
      auditor.restored(kept.audit)
      for (const sent of first.keys()) if (!kept.first.has(sent)) first.delete(sent)
    },
    complaints: () => complaints,
  }
}

/**
 * `possibleProfiles` is called before and after the answer, because the profile may change
 * meanwhile.
 */
function watchProfile(possibleProfiles: () => readonly string[], complaints: string[]) {
  const before = possibleProfiles()
  return (answer: NetworkAnswer) => {
    const received = toCallVerdict(answer) === undefined ? undefined : formatProfile(answer)
    const all = [...before, ...possibleProfiles()]
    if (received !== undefined && !all.includes(received))
      complaints.push(`the auditor: User data was answered ${received}, may be ${[...new Set(all)].join(' or ')}`)
  }
}

/** Two platforms may use one id for two bets (W-43). */
function isOfOtherPlatform({ headers, body }: NetworkRequest): boolean {
  return headers['x-sign-jws'] === signBody(body, OTHER_SECRET)
}

function playerOf({ operatorUser, userId }: MessageMembers): string {
  return `${operatorUser ?? userId}`
}

function toObservedCall(
  kind: ObservedCall['kind'],
  { requestId, amount, resultType, token, bonusId }: MessageMembers,
): ObservedCall {
  const counts = kind === 'place' || kind === 'settle'
  return {
    kind,
    requestId: `${requestId}`,
    amount: counts ? `${amount}` : '',
    resultType: kind === 'settle' ? `${resultType}` : '',
    ...(typeof token === 'string' && { token }),
    ...(kind === 'place' && { hasBonus: typeof bonusId === 'number' && bonusId > 0 }),
  }
}

/**
 * Undefined for a failure of the wallet itself. 0 for a 400 without a code, which is an
 * error.
 */
function toCallVerdict(answer: NetworkAnswer): number | undefined {
  if (answer.status === 200) return 200
  return answer.status !== 400 || isSystemErrorReply(answer) ? undefined : (parseCode(answer) ?? 0)
}

function readTransactionTime({ status, body }: NetworkAnswer): string | undefined {
  const time = status === 200 ? parseJsonObject(body.toString('utf8'))?.transactionTime : undefined
  return typeof time === 'string' ? time : undefined
}
