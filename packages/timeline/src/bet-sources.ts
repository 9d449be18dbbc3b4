/** Types of the API answers of wallet and platform, with the members that the timeline reads. */

export interface TransferView {
  readonly transferId: string
  readonly kind: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly at: string
}

/** GET /operator/players/{userId}/bets/{transactionId} */
export interface WalletBetDetail {
  readonly userId: string
  readonly transactionId: string
  readonly platform?: string
  readonly status: 'unknown' | 'open' | 'settled' | 'cancelled' | 'refused'
  readonly currency?: string
  readonly stake?: string
  readonly stakePaidBy?: 'player' | 'promotions'
  /** The highest payout that the odds allow (W-49). Absent if unknown. */
  readonly oddsPayout?: string
  readonly payout?: string
  readonly resultType?: string
  readonly refusalCode?: number
  readonly locked?: boolean
  readonly firstSeenAt: string
  readonly details?: unknown
  readonly history: readonly WalletCallView[]
}

export interface WalletCallView {
  readonly operation: TimelineOperation
  readonly requestId: string
  readonly outcome: 'applied' | 'repeated' | 'refused'
  readonly code?: number
  readonly amount?: string
  readonly currency?: string
  readonly resultType?: string
  readonly errorCode?: number
  readonly anomaly?: string
  readonly at: string
  readonly transfers: readonly TransferView[]
  /** Transfers in archive files (O-13). */
  readonly archived?: readonly unknown[]
}

export type TimelineOperation = 'place' | 'settle' | 'unsettle' | 'rollback'

/** GET /bets/{betId} of the platform */
export interface PlatformBetDetail {
  readonly betId: string
  readonly partnerId: string
  readonly userId: string
  readonly status: string
  readonly reason?: string
  readonly amount: string
  readonly currency: string
  readonly coefficient: string
  readonly payout?: string
  readonly resultType?: string
  readonly placedAt: string
  readonly selections?: readonly Readonly<Record<string, unknown>>[]
  readonly deliveries: readonly DeliveryView[]
}

export interface DeliveryView {
  readonly deliveryId: string
  readonly number: number
  readonly operation: TimelineOperation
  readonly requestId: string
  readonly status: 'waiting' | 'pending' | 'done' | 'refused' | 'unknown' | 'stuck'
  readonly amount?: string
  readonly currency?: string
  readonly code?: number
  readonly error?: string
  readonly decidedAt: string
  readonly dueAt?: string
  /** Present while the partner has not confirmed the delivery (C-9). */
  readonly needsAttentionSince?: string
  readonly request?: Readonly<Record<string, unknown>>
  readonly attemptList: readonly AttemptView[]
}

export interface AttemptView {
  readonly number: number
  readonly startedAt: string
  readonly durationMs: number
  readonly httpStatus: number | null
  readonly outcome: 'accepted' | 'refused' | 'unknown'
  readonly code?: number
  readonly error?: string
  readonly body: string
  /** Absent if the platform stored no timing (C-18). */
  readonly phases?: Readonly<Partial<Record<'dnsMs' | 'connectMs' | 'tlsMs' | 'firstByteMs' | 'bodyMs', number>>>
}

/** GET /operator/calls */
export interface JournalCallDetail {
  readonly id: string
  readonly at: string
  readonly source: string
  readonly operation: string
  readonly outcome: string
  readonly player?: string
  readonly transactionId?: string
  readonly requestId?: string
  readonly platform?: string
  readonly signature: string
  readonly request: { readonly body: string; readonly bytes: number; readonly sha256: string }
  readonly answer: { readonly status: number; readonly code?: number; readonly body: string }
  readonly milliseconds: {
    readonly arrival: number
    readonly work: number
    readonly queue?: number
    readonly database?: number
    readonly reply?: number
  }
}

export interface BetSources {
  readonly wallet?: WalletBetDetail | undefined
  readonly platform?: PlatformBetDetail | undefined
  readonly journal?: readonly JournalCallDetail[] | undefined
}
