/**
 * What a gateway owes both sides, written from docs/concepts/gateway.md. A call goes to the operator whose player it names, with the token that
 * this operator gave (G-1, G-2). What comes back is the operator's word on the player's call or a failure (G-4, G-5, D-7). An
 * operator's player has one id for good.
 */
import { replyCode } from '../../protocol/codes.ts'
import type { Names } from './names.ts'
import type { Answer, Request } from './network.ts'
import { isSystemError, refusalOf, type Said, saidIn } from './said.ts'
import type { WalletName } from './who.ts'

interface Session {
  readonly wallet: WalletName
  /** As the operator calls the player, and as the gateway does. */
  readonly operatorUser: string
  readonly userId: string
  /** The gateway's token, and the operator's. */
  readonly token: string
  readonly operatorToken: string
}

export interface GatewayWatch {
  /** The gateway has given a token for an operator's. */
  exchanged(session: Session): void
  /** A call has come to the gateway; told its answer, if there is one. */
  arrives(request: Request): (answer: Answer) => void
  /** A call of the gateway has come to a wallet. */
  reaches(wallet: WalletName, request: Request): void
  /** What the gateway is answered. */
  hears(request: Request, answer: Answer): void
  complaints(): readonly string[]
}

export function watchGateway(names: Names): GatewayWatch {
  const [byUser, byToken] = [new Map<unknown, Session>(), new Map<unknown, Session>()]
  /** By request id: what the platform said, and what the gateway has heard. */
  const [calls, heard] = [new Map<unknown, Said>(), new Map<unknown, Set<string>>()]
  const complaints: string[] = []
  const complain = ({ transactionId }: Said, what: string) =>
    complaints.push(`${transactionId === undefined ? '' : `${names.bet(`${transactionId}`)}: `}${what}`)
  return {
    exchanged(session) {
      const { wallet, operatorUser, userId, token } = session
      for (const known of byUser.values())
        if (known.wallet === wallet && known.operatorUser === operatorUser && known.userId !== userId)
          complaints.push(`${operatorUser} of the ${wallet} has another id at the gateway than before`)
      byUser.set(userId, session)
      byToken.set(token, session)
    },
    arrives(request) {
      const said = saidIn(request)
      calls.set(said.requestId, said)
      return (answer) => {
        if (isOfCaller(answer))
          return void complain(
            said,
            `the gateway answers ${answer.status}, as if the platform had another secret (D-7)`,
          )
        if (request.path !== '/payment/bet' || isFailure(request, answer)) return
        if (!heard.get(said.requestId)?.has(textOf(answer)))
          complain(said, `the gateway answers ${answer.status}, and its operator has not (G-5)`)
      }
    },
    reaches(wallet, request) {
      const passedOn = saidIn(request)
      const said = calls.get(passedOn.requestId)
      if (said === undefined) return // of the gateway's own, at an exchange
      const session = byToken.get(said.token)
      const player = said.userId === undefined ? session : byUser.get(said.userId)
      if (player !== undefined && player.wallet !== wallet)
        complain(said, `a call about a player of the ${player.wallet} comes to the ${wallet} (G-1)`)
      if (session !== undefined && session.userId === player?.userId && passedOn.token !== session.operatorToken)
        complain(said, 'a token of the gateway does not become the one that the operator gave (G-2)')
    },
    hears(request, answer) {
      const { requestId } = saidIn(request)
      heard.set(requestId, (heard.get(requestId) ?? new Set()).add(textOf(answer)))
    },
    complaints: () => complaints,
  }
}

/** The platform signs as it should: only an operator can have said so, of the gateway. */
function isOfCaller(answer: Answer): boolean {
  const { status } = answer
  return status === 401 || status === 403 || (status >= 300 && status < 400) || refusalOf(answer) === BAD_SIGNATURE
}

const BAD_SIGNATURE = replyCode('bad_signature')

function textOf({ status, body }: Answer): string {
  return `${status} ${body.toString('latin1')}`
}

/** As of a wallet that failed (R-4). */
function isFailure({ method }: Request, answer: Answer): boolean {
  return method === 'POST' ? isSystemError(answer) : answer.status === 500
}
