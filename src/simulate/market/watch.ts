/** Tells the auditor what happens on the wire, and keeps what it and the sameness of repeats complain about. */
import { createAuditor, type Heard, type Standing } from './auditor.ts'
import type { Names } from './names.ts'
import type { Answer, Request } from './network.ts'
import { codeIn, isSystemError } from './said.ts'

export interface WireWatch {
  /** A call has reached the wallet; told its answer, if there is one. */
  arrives(request: Request): (answer: Answer) => void
  died(): void
  movedOf(player: string): ReadonlySet<bigint> | undefined
  readonly standing: Standing
  complaints(): readonly string[]
}

const KINDS = { 'POST 1': 'place', 'PUT 1': 'unsettle', 'PUT 2': 'settle', 'PUT 3': 'rollback' } as const

/** `answered`: who else listens. */
export function watchWire(names: Names, answered: (request: Request, answer: Answer) => void): WireWatch {
  const auditor = createAuditor()
  const complaints: string[] = []
  const first = new Map<string, string>()
  let calls = 0
  return {
    arrives(request) {
      const id = ++calls
      const said = JSON.parse(request.body.toString('utf8')) as Record<string, unknown>
      const kind =
        request.path === '/payment/bet' ? KINDS[`${request.method} ${said.type}` as keyof typeof KINDS] : undefined
      if (kind === undefined) return (answer) => answered(request, answer)
      const betId = `${said.transactionId}`
      auditor.arrived(id, { player: `${said.operatorUser ?? said.userId}`, betId }, heardOf(kind, said))
      return (answer) => {
        answered(request, answer)
        const text = answer.body.toString('utf8')
        const complaint = auditor.answered(id, betId, verdictOf(answer))
        if (complaint !== undefined) complaints.push(`${names.bet(betId)}: ${complaint}`)
        if (answer.status !== 200) return
        const sent = `${kind} ${request.body.toString('utf8')}`
        const before = first.get(sent)
        first.set(sent, before ?? text)
        if (before !== undefined && before !== text)
          complaints.push(
            `${names.bet(betId)}: a repeat had another answer than its original (R-2): ${text}, ${before}`,
          )
      }
    },
    died: () => auditor.died(),
    movedOf: (player) => auditor.movedOf(player),
    standing: auditor,
    complaints: () => complaints,
  }
}

function heardOf(kind: Heard['kind'], { requestId, amount, resultType, token }: Record<string, unknown>): Heard {
  const counts = kind === 'place' || kind === 'settle'
  return {
    kind,
    requestId: `${requestId}`,
    amount: counts ? `${amount}` : '',
    resultType: kind === 'settle' ? `${resultType}` : '',
    ...(typeof token === 'string' && { token }),
  }
}

/** Undefined: it failed inside. A 400 without a code is none that a wallet may give. */
function verdictOf(answer: Answer): number | undefined {
  if (answer.status === 200) return 200
  return answer.status !== 400 || isSystemError(answer) ? undefined : (codeIn(answer) ?? 0)
}
