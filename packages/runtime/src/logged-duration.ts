/** Milliseconds of a call as logs show them, with one decimal; further digits are cut off. */
export function toLoggedMs(milliseconds: number): number {
  return Math.trunc(milliseconds * 10) / 10
}
