/**
 * Checks the duties of a gateway to platform and operators, written from docs/concepts/gateway.md.
 *
 * - A call goes to the operator of its player, with this operator's token (G-1, G-2).
 * - The gateway returns the operator's answer about the player's call, or a failure (G-4, G-5,
 *   D-7).
 * - A player of an operator keeps one id for ever.
 */
import { replyCode } from '@purser/protocol/reply-codes'
import type { WalletName } from '../actors/party-names.ts'
import { isSystemErrorReply, type MessageMembers, parseMessage, parseRefusal } from '../actors/reply-parsing.ts'
import type { NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'
import type { StoryNames } from '../story-names.ts'

interface ExchangedSession {
  readonly wallet: WalletName
  /** The operator's id of the player, and the gateway's. */
  readonly operatorUser: string
  readonly userId: string
  /** The gateway's token, and the operator's. */
  readonly token: string
  readonly operatorToken: string
}

export interface GatewayWatch {
  /** The gateway has exchanged an operator's token for its own. */
  exchanged(session: ExchangedSession): void
  /** The returned function receives the answer, if one follows. */
  arrives(request: NetworkRequest): (answer: NetworkAnswer) => void
  reaches(wallet: WalletName, request: NetworkRequest): void
  hears(request: NetworkRequest, answer: NetworkAnswer): void
  complaints(): readonly string[]
}

export function watchGateway(names: StoryNames): GatewayWatch {
  const [byUser, byToken] = [new Map<unknown, ExchangedSession>(), new Map<unknown, ExchangedSession>()]
  /** By request id: the platform's call, and the operators' answers to it. */
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
      if (message === undefined) return // a call of the gateway's own, during an exchange
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

/**
 * The platform's signature is right, so such an answer concerns the gateway's call to an operator
 * (D-7).
 */
function isOfCaller(answer: NetworkAnswer): boolean {
  const { status } = answer
  return status === 401 || status === 403 || (status >= 300 && status < 400) || parseRefusal(answer) === BAD_SIGNATURE
}

const BAD_SIGNATURE = replyCode('bad_signature')

function formatAnswer({ status, body }: NetworkAnswer): string {
  return `${status} ${body.toString('latin1')}`
}

/** The answer of a wallet that failed (R-4). */
function isFailure({ method }: NetworkRequest, answer: NetworkAnswer): boolean {
  return method === 'POST' ? isSystemErrorReply(answer) : answer.status === 500
}
