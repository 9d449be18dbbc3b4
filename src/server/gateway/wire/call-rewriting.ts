/** The names in a call and in its answer, as the other side knows them. Nothing else changes, in any digit. */

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { parseJsonObject } from '../../../protocol/values/exact-json.ts'
import type { PlayerRoute } from '../players/player-directory.ts'
import type { GatewayPlayer } from '../players/player-directory-store.ts'
import type { GatewayCall } from './gateway-call.ts'
import { applyEdits, scanObject, type TextEdit, toMemberEdits } from './json-edits.ts'

/**
 * For the operator: its own token, and its player's real id as `operatorUser`. `userId` stays what the platform sent, the
 * gateway's id. User data names no player, and goes on naming none.
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
 * A token that is not this player's goes to the operator as one that nobody ever gave out: it refuses it where a token
 * counts and accepts a repeat where none does (I-5, R-6), and no other player's session is shown to it.
 */
function disguiseToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** The answer belongs to somebody else than the call: nothing of it may be passed on. */
export class WrongPlayerError extends Error {}

/**
 * For the platform: the gateway's id of the player, and its own token wherever the answer repeats the operator's; a token
 * that is the player's id is told anyway (P-5). Throws WrongPlayerError when the operator answers for another player.
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

/** Some wallets repeat the request in an error, and some of those write a slash as `\/`. Byte by byte: latin1 changes none. */
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

/** A body that is no answer of the interface goes on as it is: the platform judges it as it would the operator's. */
function rewritePlayer(operation: 'profile' | 'balance', body: Buffer, player: GatewayPlayer): Buffer {
  const text = body.toString('utf8')
  const reply = isUtf8(body) ? parseJsonObject(text) : undefined
  if (typeof reply?.userId !== 'string') return body
  if (!listExpectedUserIds(operation, player).includes(reply.userId)) throw new WrongPlayerError()
  const edits = operation === 'profile' ? toProfileEdits(text, player) : toUserIdEdits(text, player)
  return Buffer.from(applyEdits(text, edits))
}

/** User data names no player, so its answer can only name the operator's id; that of Balance may repeat the call's. */
function listExpectedUserIds(operation: 'profile' | 'balance', { userId, operatorUser }: GatewayPlayer): string[] {
  return operation === 'profile' ? [operatorUser] : [operatorUser, userId]
}

function toUserIdEdits(text: string, { userId }: GatewayPlayer): TextEdit[] {
  return toMemberEdits(scanObject(text), { userId })
}

/** P-5: `operatorUser` as a member and inside `customFields`. */
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
