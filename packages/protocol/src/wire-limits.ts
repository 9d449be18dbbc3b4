/** Limits of the interface: sizes, lengths and times. */
export const LIMITS = {
  /** Bytes of a request body. A larger body is code 5. */
  bodyBytes: 256 * 1024,
  /** Milliseconds until the platform times out (interface.md, Limits). */
  answerMs: 5_000,
  /**
   * Milliseconds after arrival at which a call is answered as failed (W-20, G-6). The rest is
   * reserved for the network and a busy processor.
   */
  giveUpMs: 4_750,
  /** Milliseconds after arrival up to which a call may start. */
  startMs: 4_000,
  /** Characters (interface.md, Limits). */
  token: { minLength: 10, maxLength: 64 },
  userId: { minLength: 1, maxLength: 64 },
  requestId: { minLength: 10, maxLength: 64 },
  transactionId: { minLength: 10, maxLength: 36 },
  currency: { minLength: 3, maxLength: 5 },
  /** Significant digits of an amount. More digits are rejected, never rounded (M-1, M-2). */
  amountDigits: 15,
} as const

/**
 * The latest start (inclusive, R-5) and the time of the failed answer (W-20, G-6), on the clock of
 * `arrivedAt`.
 */
export const startDeadline = (arrivedAt: number): number => arrivedAt + LIMITS.startMs
export const answerDeadline = (arrivedAt: number): number => arrivedAt + LIMITS.giveUpMs

/** Pattern of `operatorUser` (interface.md; P-5). */
export const OPERATOR_USER_PATTERN = '^[A-Za-z0-9._~-]{1,64}$'
