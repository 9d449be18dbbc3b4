/**
 * Reveals a player's personal data. The audit log records the user and the names of the revealed
 * members (O-15). A browser gets personal data only this way.
 */
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { type OperatorDeps, withPlayer } from '../operator-context.ts'
import { PlayerSchema } from './player-profile.ts'

const { userId, birthday, customFields } = PlayerSchema.properties
export const PersonalDataSchema = Type.Object({ userId, birthday, customFields })

export function openPersonalData(
  deps: OperatorDeps,
  author: Actor,
  userId: string,
): Promise<Static<typeof PersonalDataSchema>> {
  return withPlayer(deps, userId, async (tx, { player: { birthday, customFields } }) => {
    const data = { ...(birthday !== null && { birthday }), ...(customFields !== null && { customFields }) }
    const opened = [...(birthday === null ? [] : ['birthday']), ...Object.keys(customFields ?? {})]
    await author.record(tx, { on: { userId }, before: {}, after: { opened }, at: deps.clock.now() })
    return { userId, ...data }
  })
}
