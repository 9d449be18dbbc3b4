/**
 * Names of results. The wire's `refund` is "void" here, because "refund" also names the money that
 * a Rollback returns.
 */

const WORDS: Readonly<Record<string, string>> = { refund: 'void', cashout: 'cashed out' }

/** Lower case. */
export function formatResultType(resultType: string): string {
  return Object.hasOwn(WORDS, resultType) ? (WORDS[resultType] ?? resultType) : resultType
}
