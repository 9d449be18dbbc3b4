/** Requests to a betting frame, which the sandbox and `purser dev` serve. */
import { Type } from 'typebox'
import { FRAME_BET_ENDINGS } from './frame-bets.ts'

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

export const FrameBetBody = Type.Object({
  matchId: text(64),
  outcome: Type.Enum(['home', 'draw', 'away']),
  /** The currency decides how many decimals are possible. */
  stake: Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,8})?$' }),
  isFree: Type.Optional(Type.Boolean()),
})
export const FrameBetPath = Type.Object({ betId: text(64) })
export const FrameBetEndBody = Type.Object({ what: Type.Enum([...FRAME_BET_ENDINGS]) })
/** Changes that the reader has already. */
export const FrameWireQuery = Type.Object({ after: Type.Optional(Type.String({ pattern: '^\\d{1,12}$' })) })
