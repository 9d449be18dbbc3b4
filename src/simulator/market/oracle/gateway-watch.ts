/**
 * What a gateway owes both sides, written from docs/concepts/gateway.md. A call goes to the operator whose player it names, with the token that
 * this operator gave (G-1, G-2). What comes back is the operator's word on the player's call or a failure (G-4, G-5, D-7). An
 * operator's player has one id for good.
 */
import { replyCode } from '../../../protocol/reply-codes.ts'
import type { WalletName } from '../actors/party-names.ts'
import { isSystemErrorReply, type MessageMembers, parseMessage, parseRefusal } from '../actors/reply-parsing.ts'
import type { NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'
import type { StoryNames } from '../story-names.ts'

interface ExchangedSession {
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
  exchanged(session: ExchangedSession): void
  /** A call has come to the gateway; told its answer, if there is one. */
  arrives(request: NetworkRequest): (answer: NetworkAnswer) => void
  /** A call of the gateway has come to a wallet. */
  reaches(wallet: WalletName, request: NetworkRequest): void
  /** What the gateway is answered. */
  hears(request: NetworkRequest, answer: NetworkAnswer): void
  complaints(): readonly string[]
}

export function watchGateway(names: StoryNames): GatewayWatch {
  const [byUser, byToken] = [new Map<unknown, ExchangedSession>(), new Map<unknown, ExchangedSession>()]
  /** By request id: what the platform said, and what the gateway has heard. */
  const [calls, received] = [new Map<unknown, MessageMembers>(), new Map<unknown, Set<string>>()]
  const complaints: string[] = []
  const complain = ({ transactionId }: MessageMembers, complaint: string) =>
    complaints.push(`${transactionId === undefined ? '' : `${names.bet(`${transactionId}`)}: `}${complaint}`)
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
      const message = parseMessage(request)
      calls.set(message.requestId, message)
      return (answer) => {
        if (isOfCaller(answer))
          return void complain(
            message,
            `the gateway answers ${answer.status}, as if the platform had another secret (D-7)`,
          )
        if (request.path !== '/payment/bet' || isFailure(request, answer)) return
        if (!received.get(message.requestId)?.has(formatAnswer(answer)))
          complain(message, `the gateway answers ${answer.status}, and its operator has not (G-5)`)
      }
    },
    reaches(wallet, request) {
      const passedOn = parseMessage(request)
      const message = calls.get(passedOn.requestId)
      if (message === undefined) return // of the gateway's own, at an exchange
      const session = byToken.get(message.token)
      const player = message.userId === undefined ? session : byUser.get(message.userId)
      if (player !== undefined && player.wallet !== wallet)
        complain(message, `a call about a player of the ${player.wallet} comes to the ${wallet} (G-1)`)
      if (session !== undefined && session.userId === player?.userId && passedOn.token !== session.operatorToken)
        complain(message, 'a token of the gateway does not become the one that the operator gave (G-2)')
    },
    hears(request, answer) {
      const { requestId } = parseMessage(request)
      received.set(requestId, (received.get(requestId) ?? new Set()).add(formatAnswer(answer)))
    },
    complaints: () => complaints,
  }
}

/** The platform signs as it should: only an operator can have said so, of the gateway. */
function isOfCaller(answer: NetworkAnswer): boolean {
  const { status } = answer
  return status === 401 || status === 403 || (status >= 300 && status < 400) || parseRefusal(answer) === BAD_SIGNATURE
}

const BAD_SIGNATURE = replyCode('bad_signature')

function formatAnswer({ status, body }: NetworkAnswer): string {
  return `${status} ${body.toString('latin1')}`
}

/** As of a wallet that failed (R-4). */
function isFailure({ method }: NetworkRequest, answer: NetworkAnswer): boolean {
  return method === 'POST' ? isSystemErrorReply(answer) : answer.status === 500
}
