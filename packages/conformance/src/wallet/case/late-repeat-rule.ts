/**
 * Rules that the wallet's answers to the repeats at the end of the run must satisfy
 * (late-repeats.ts).
 */

/**
 * The order of the repeats. Place bet is last, because a wallet that places a bet again would also
 * apply its result again. older: results that were replaced later.
 */
export const REPEAT_STAGES = ['settle', 'unsettle', 'rollback', 'older', 'place'] as const
export type RepeatStage = (typeof REPEAT_STAGES)[number]

/** A stage must move no money, or an answer must equal the first one. */
export type LateRepeatRule = RepeatStage | 'same answer'
