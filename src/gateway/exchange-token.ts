/**
 * An operator's token becomes one of the gateway's. The operator is asked whose it is, so that player and currency are its
 * own word and a token that it does not know is exchanged for none.
 */
import type { Author } from '../people/actions.ts'
import { OPERATIONS } from '../protocol/operation.ts'
import type { UserProfile } from '../protocol/user-profile.ts'
import { world } from '../runtime/world.ts'
import { refusalOfCaller } from '../wallet-client/caller-refused.ts'
import { type CallOutcome, classifyAnswer } from '../wallet-client/classify.ts'
import { isOperatorUser } from './call.ts'
import type { Directory, GatewaySession } from './directory.ts'
import type { LinkResult } from './link.ts'
import type { Operators } from './operators.ts'

export type Exchanged =
  | { readonly kind: 'exchanged'; readonly session: GatewaySession; readonly currency: string }
  | { readonly kind: 'unknown_operator' }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'failed'; readonly detail: string }
  /** The operator refuses the gateway, whoever's token it is (D-7). */
  | { readonly kind: 'gateway_refused'; readonly detail: string }

export async function exchangeToken(
  { operators, directory }: { operators: Operators; directory: Directory },
  author: Author,
  operatorId: string,
  operatorToken: string,
): Promise<Exchanged> {
  const link = await operators.link(operatorId, 'users')
  if (link === undefined) return { kind: 'unknown_operator' }
  const { method, path } = OPERATIONS.profile
  const body = Buffer.from(JSON.stringify({ token: operatorToken, requestId: world.uuid() }))
  const result = await link.send({ method, path, body, arrivedAt: world.elapsed() })
  const refusal = refusalIn(result)
  if (refusal !== undefined) return { kind: 'gateway_refused', detail: refusal }
  const outcome = judge(result)
  if (outcome.kind === 'refused') return outcome
  if (outcome.kind === 'unknown') return { kind: 'failed', detail: outcome.detail }
  const { userId: operatorUser, currency } = outcome.reply as UserProfile
  if (!isOperatorUser(operatorUser))
    return { kind: 'failed', detail: 'a userId that cannot be sent as operatorUser (P-5)' }
  const session = await directory.open(author, { operatorId, operatorUser, currency, operatorToken })
  return { kind: 'exchanged', session, currency }
}

function refusalIn(result: LinkResult): string | undefined {
  return result.kind === 'sent' && result.heard.kind === 'answered' ? refusalOfCaller(result.heard) : undefined
}

function judge(result: LinkResult): CallOutcome {
  const heard = result.kind === 'sent' ? result.heard : result
  if (heard.kind === 'answered') return classifyAnswer('profile', heard)
  return { kind: 'unknown', reason: 'network', detail: heard.detail }
}
