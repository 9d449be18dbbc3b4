/** Results in our words: what the wire calls `refund` is a void bet here, for a refund is what a Rollback gives back. */

const WORDS: Readonly<Record<string, string>> = { refund: 'void', cashout: 'cashed out' }

/** In small letters. */
export function formatResultType(resultType: string): string {
  return Object.hasOwn(WORDS, resultType) ? (WORDS[resultType] ?? resultType) : resultType
}
