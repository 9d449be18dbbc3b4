/**
 * Translation of ids and tokens between platform and operator. No other byte of a call or answer
 * changes.
 */

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import type { PlayerRoute } from '../players/player-directory.ts'
import type { GatewayPlayer } from '../players/player-directory-store.ts'
import type { GatewayCall } from './gateway-call.ts'
import { applyEdits, scanObject, type TextEdit, toMemberEdits } from './json-edits.ts'

/**
 * The operator gets its own token, and the player's real id as `operatorUser`. `userId` stays the
 * gateway's id. User data gets no player id.
 */
export function rewriteForOperator({ operation, text, object, token, body }: GatewayCall, route: PlayerRoute): Buffer {
  const isAboutPlayer = operation !== 'profile' || 'operatorUser' in body
  const values = {
    ...(token !== undefined && { token: route.operatorToken ?? disguiseToken(token) }),
    ...(isAboutPlayer && { operatorUser: route.player.operatorUser }),
  }
  return Buffer.from(applyEdits(text, toMemberEdits(object, values)))
}

/**
 * SHA-256 of a token that is not this player's (G-2). No operator has issued such a token. The
 * operator rejects it where a token is required, and accepts a repeat where it is not (I-5, R-6).
 * It sees no other player's session.
 */
function disguiseToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** The answer belongs to another player and must not be forwarded (G-9). */
export class WrongPlayerError extends Error {}

/**
 * The platform gets the gateway's id of the player, and its own token in place of the operator's. A
 * token inside the player's id is public anyway (P-5). Throws `WrongPlayerError` if the answer is
 * for another player.
 */
export function rewriteForPlatform(
  { operation, token }: GatewayCall,
  { player, operatorToken }: PlayerRoute,
  answer: OperatorAnswer,
): Buffer {
  const isAboutPlayer = answer.status === 200 && (operation === 'profile' || operation === 'balance')
  const body = isAboutPlayer ? rewritePlayer(operation, answer.body, player) : answer.body
  const isSecret = operatorToken !== undefined && !player.operatorUser.includes(operatorToken)
  return isSecret && token !== undefined ? replaceToken(body, operatorToken, token) : body
}

/**
 * Some wallets repeat the request in an error, and some write a slash as `\/`. The encoding latin1
 * keeps every byte.
 */
function replaceToken(body: Buffer, operatorToken: string, token: string): Buffer {
  const written = Buffer.from(operatorToken).toString('latin1')
  const forms = [written, written.replaceAll('/', '\\/')].filter((form) => body.includes(form, 0, 'latin1'))
  if (forms.length === 0) return body
  const text = forms.reduce((rest, form) => rest.replaceAll(form, () => token), body.toString('latin1'))
  return Buffer.from(text, 'latin1')
}

interface OperatorAnswer {
  readonly status: number
  readonly body: Buffer
}

/** A body that is no valid answer is forwarded unchanged, and the platform judges it. */
function rewritePlayer(operation: 'profile' | 'balance', body: Buffer, player: GatewayPlayer): Buffer {
  const text = body.toString('utf8')
  const reply = isUtf8(body) ? parseJsonObject(text) : undefined
  if (typeof reply?.userId !== 'string') return body
  if (!listExpectedUserIds(operation, player).includes(reply.userId)) throw new WrongPlayerError()
  const edits = operation === 'profile' ? toProfileEdits(text, player) : toUserIdEdits(text, player)
  return Buffer.from(applyEdits(text, edits))
}

/** The answer to User data has the operator's id; the answer to Balance may repeat the call's. */
function listExpectedUserIds(operation: 'profile' | 'balance', { userId, operatorUser }: GatewayPlayer): string[] {
  return operation === 'profile' ? [operatorUser] : [operatorUser, userId]
}

function toUserIdEdits(text: string, { userId }: GatewayPlayer): TextEdit[] {
  return toMemberEdits(scanObject(text), { userId })
}

/** Sets `operatorUser` as a member and inside `customFields` (P-5). */
function toProfileEdits(text: string, { userId, operatorUser }: GatewayPlayer): TextEdit[] {
  const profile = scanObject(text)
  const custom = profile.members.filter(({ name }) => name === 'customFields')
  const isAbsent = custom.length === 0
  return [
    ...toMemberEdits(profile, { userId, operatorUser, ...(isAbsent && { customFields: { operatorUser } }) }),
    ...custom
      .filter(({ start }) => text[start] === '{')
      .flatMap(({ start }) => toMemberEdits(scanObject(text, start), { operatorUser })),
  ]
}
