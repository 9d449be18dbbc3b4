/** Lengths and times of the interface, each with its unit and clause. */
export const LIMITS = {
  /** Bytes of a request body; a larger one is code 5. */
  bodyBytes: 256 * 1024,
  /** Milliseconds in which the platform wants an answer (interface.md, Limits). */
  answerMs: 5_000,
  /** Milliseconds after arrival at which we fail a call ourselves; the rest is for the ways and a busy processor (W-20, G-6). */
  giveUpMs: 4_750,
  /** Milliseconds after arrival up to which a call may start to be applied. */
  startMs: 4_000,
  /** Characters (interface.md, Limits). */
  token: { minLength: 10, maxLength: 64 },
  userId: { minLength: 1, maxLength: 64 },
  requestId: { minLength: 10, maxLength: 64 },
  transactionId: { minLength: 10, maxLength: 36 },
  currency: { minLength: 3, maxLength: 5 },
  /** Significant digits up to which an amount is exact; more are refused, never rounded (M-1, M-2). */
  amountDigits: 15,
} as const

/** Until when, that moment too, a call that arrived then may start to be applied, and when we fail it ourselves (W-20, G-6): on the clock of its arrival. */
export const startDeadline = (arrivedAt: number): number => arrivedAt + LIMITS.startMs
export const answerDeadline = (arrivedAt: number): number => arrivedAt + LIMITS.giveUpMs

/** `operatorUser` (interface.md; P-5). */
export const OPERATOR_USER_PATTERN = '^[A-Za-z0-9._~-]{1,64}$'
