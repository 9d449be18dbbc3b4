/** Tells the auditor what happens on the wire, and keeps what it and the sameness of repeats complain about. */
import { objectIn } from '../../protocol/json.ts'
import { betOperationOf, OPERATIONS } from '../../protocol/operation.ts'
import { sign } from '../../protocol/signature.ts'
import { type Auditor, createAuditor, type Heard, type KeptAudit } from './auditor.ts'
import type { Names } from './names.ts'
import type { Answer, Request } from './network.ts'
import { type OddsWatch, watchOdds } from './odds-watch.ts'
import { currenciesOf } from './operator-people.ts'
import { profileAnswers, profileText } from './profile.ts'
import { codeIn, isSystemError, type Said, saidIn } from './said.ts'
import { moneyRulesOf, PLAIN_SCENE, type Scene } from './scene.ts'
import type { Standing } from './standing.ts'
import { OTHER_PLATFORM, OTHER_SECRET } from './store.ts'

export interface WireWatch extends Pick<Auditor, 'movedOf' | 'checksOf' | 'cash'> {
  /** A call has reached the wallet; told its answer, if there is one. */
  arrives(request: Request): (answer: Answer) => void
  died(): void
  readonly standing: Standing
  /** What is noted beside the money (W-49). */
  readonly odds: Pick<OddsWatch, 'audit'>
  /** For a backup that is made now. */
  keep(): KeptWire
  /** It has been put back. */
  restored(kept: KeptWire): void
  complaints(): readonly string[]
}

export interface KeptWire {
  readonly audit: KeptAudit
  readonly first: ReadonlyMap<string, string>
}

/** `answered`: who else listens. */
export function watchWire(
  names: Names,
  answered: (request: Request, answer: Answer) => void,
  scene: Scene = PLAIN_SCENE,
): WireWatch {
  const [auditor, odds] = [createAuditor(moneyRulesOf(scene)), watchOdds(moneyRulesOf(scene))]
  const complaints: string[] = []
  /** By call, its first yes. */
  const first = new Map<string, string>()
  let [calls, restores] = [0, 0]
  const isSame = (sent: string, text: string) => {
    const before = first.get(sent) ?? text
    first.set(sent, before)
    return before === text || `a repeat had another answer than its original (R-2): ${text}, ${before}`
  }
  const aboutBet = (kind: Heard['kind'], said: Said, sent: string, isOfOther: boolean) => {
    const [id, before] = [++calls, restores]
    const betId = isOfOther ? `${said.transactionId} of the ${OTHER_PLATFORM}` : `${said.transactionId}`
    if (kind === 'place' && !isOfOther) odds.placed(said)
    auditor.arrived(id, { player: playerOf(said), betId, currency: `${said.currency}` }, heardOf(kind, said))
    return (answer: Answer) => {
      const text = answer.body.toString('utf8')
      const complaint = auditor.answered(id, betId, verdictOf(answer), timeIn(answer))
      if (complaint !== undefined) complaints.push(`${names.bet(betId)}: ${complaint}`)
      const same = answer.status !== 200 || restores !== before || isSame(`${kind} ${sent}`, text)
      if (same !== true) complaints.push(`${names.bet(betId)}: ${same}`)
    }
  }
  const aboutProfile = (token: string) => {
    const may = () => profileAnswers(auditor.tokens, token, currenciesOf(scene))
    const then = may()
    return (answer: Answer) => {
      const heard = verdictOf(answer) === undefined ? undefined : profileText(answer)
      const all = [...then, ...may()]
      if (heard !== undefined && !all.includes(heard))
        complaints.push(`the auditor: User data was answered ${heard}, may be ${[...new Set(all)].join(' or ')}`)
    }
  }
  return {
    arrives(request) {
      const { method, path, body } = request
      const text = body.toString('utf8')
      const said = saidIn(request)
      const kind = path === '/payment/bet' ? betOperationOf(method, said.type) : undefined
      const told =
        kind !== undefined
          ? aboutBet(kind, said, text, isOfOtherPlatform(request))
          : path === OPERATIONS.profile.path
            ? aboutProfile(`${said.token}`)
            : undefined
      return (answer) => {
        answered(request, answer)
        told?.(answer)
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

/** Two platforms may mean two bets by one id (W-43). */
function isOfOtherPlatform({ headers, body }: Request): boolean {
  return headers['x-sign-jws'] === sign(body, OTHER_SECRET)
}

function playerOf({ operatorUser, userId }: Said): string {
  return `${operatorUser ?? userId}`
}

function heardOf(kind: Heard['kind'], { requestId, amount, resultType, token, bonusId }: Said): Heard {
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

/** Undefined: it failed inside. A 400 without a code is none that a wallet may give. */
function verdictOf(answer: Answer): number | undefined {
  if (answer.status === 200) return 200
  return answer.status !== 400 || isSystemError(answer) ? undefined : (codeIn(answer) ?? 0)
}

function timeIn({ status, body }: Answer): string | undefined {
  const time = status === 200 ? objectIn(body.toString('utf8'))?.transactionTime : undefined
  return typeof time === 'string' ? time : undefined
}
