/** The names in a call and in its answer, as the other side knows them. Nothing else changes, in any digit. */

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { objectIn } from '../protocol/json.ts'
import type { Call } from './call.ts'
import type { Route } from './directory.ts'
import type { Player } from './directory-store.ts'
import { applyEdits, type Edit, objectAt, setMembers } from './json-text.ts'

/**
 * For the operator: its own token, and its player's real id as `operatorUser`. `userId` stays what the platform sent, the
 * gateway's id. User data names no player, and goes on naming none.
 */
export function toOperator({ operation, text, object, token, body }: Call, route: Route): Buffer {
  const namesPlayer = operation !== 'profile' || 'operatorUser' in body
  const values = {
    ...(token !== undefined && { token: route.operatorToken ?? disguise(token) }),
    ...(namesPlayer && { operatorUser: route.player.operatorUser }),
  }
  return Buffer.from(applyEdits(text, setMembers(object, values)))
}

/**
 * A token that is not this player's goes to the operator as one that nobody ever gave out: it refuses it where a token
 * counts and accepts a repeat where none does (I-5, R-6), and no other player's session is shown to it.
 */
function disguise(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** The answer belongs to somebody else than the call: nothing of it may be passed on. */
export class WrongPlayer extends Error {}

/**
 * For the platform: the gateway's id of the player, and its own token wherever the answer repeats the operator's; a token
 * that is the player's id is told anyway (P-5). Throws WrongPlayer when the operator answers for another player.
 */
export function toPlatform({ operation, token }: Call, { player, operatorToken }: Route, answer: Answer): Buffer {
  const namesPlayer = answer.status === 200 && (operation === 'profile' || operation === 'balance')
  const body = namesPlayer ? renamed(operation, answer.body, player) : answer.body
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

interface Answer {
  readonly status: number
  readonly body: Buffer
}

/** A body that is no answer of the interface goes on as it is: the platform judges it as it would the operator's. */
function renamed(operation: 'profile' | 'balance', body: Buffer, player: Player): Buffer {
  const text = body.toString('utf8')
  const reply = isUtf8(body) ? objectIn(text) : undefined
  if (typeof reply?.userId !== 'string') return body
  if (!namesOf(operation, player).includes(reply.userId)) throw new WrongPlayer()
  const edits = operation === 'profile' ? profileEdits(text, player) : userIdEdits(text, player)
  return Buffer.from(applyEdits(text, edits))
}

/** User data names no player, so its answer can only name the operator's id; that of Balance may repeat the call's. */
function namesOf(operation: 'profile' | 'balance', { userId, operatorUser }: Player): string[] {
  return operation === 'profile' ? [operatorUser] : [operatorUser, userId]
}

function userIdEdits(text: string, { userId }: Player): Edit[] {
  return setMembers(objectAt(text), { userId })
}

/** P-5: `operatorUser` as a member and inside `customFields`. */
function profileEdits(text: string, { userId, operatorUser }: Player): Edit[] {
  const profile = objectAt(text)
  const custom = profile.members.filter(({ name }) => name === 'customFields')
  const isAbsent = custom.length === 0
  return [
    ...setMembers(profile, { userId, operatorUser, ...(isAbsent && { customFields: { operatorUser } }) }),
    ...custom
      .filter(({ start }) => text[start] === '{')
      .flatMap(({ start }) => setMembers(objectAt(text, start), { operatorUser })),
  ]
}
