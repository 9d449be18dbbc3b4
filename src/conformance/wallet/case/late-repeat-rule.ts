/** What is judged when all is sent once more at the end of the run (late.ts). */

/** What is repeated, in this order: a bet that is placed anew would take its result anew. older: results that were replaced since. */
export const REPEAT_STAGES = ['settle', 'unsettle', 'rollback', 'older', 'place'] as const
export type RepeatStage = (typeof REPEAT_STAGES)[number]

/** What a case asks of the repeats: that a stage moves nothing; or that the answers are those of the first time. */
export type LateRepeatRule = RepeatStage | 'same answer'
