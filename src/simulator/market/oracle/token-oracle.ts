/** What the auditor knows of tokens (P-1): whose each is, and whether it is alive. It is told by the operator's people, and believes refusals as expired. */

/** `not heard of`: nobody tells the auditor about tokens, so that every refusal is believed. */
export type TokenState = 'live' | 'may have ended' | 'ended' | 'unknown' | 'absent' | 'not heard of'

interface TokenRecord {
  readonly player: string
  readonly currency: string
  state: 'live' | 'may have ended' | 'ended'
}

export interface TokenSnapshot {
  readonly tokens: ReadonlyMap<string, TokenRecord>
}

export interface TokenOracle {
  /** Of this player, or of nobody in particular. */
  stateOf(token: string, player: string | undefined): TokenState
  /** Whose it is, and in which currency. */
  holderOf(token: string): { readonly player: string; readonly currency: string } | undefined
  given(token: string, player: string, currency?: string): void
  /** The operator is just ending all of this player's; `isOver`: it has been answered. */
  ending(player: string, isOver: boolean): void
  ended(token: string): void
  /** A clock was set by a day: any may have expired, and may be alive again. */
  clockJumped(): void
  keep(): TokenSnapshot
  /** The wallet knows what it knew then. What is just being ended will be. */
  restored(kept: TokenSnapshot): void
}

export function createTokenOracle(): TokenOracle {
  const tokens = new Map<string, TokenRecord>()
  const ending = new Set<string>()
  /** Of these it is known that they have ended, where it is told of no others. */
  const endedTokens = new Set<string>()
  let hasJumped = false
  const markUncertain = (isMeant: (record: TokenRecord) => boolean) => {
    for (const record of tokens.values())
      if (record.state === 'live' && isMeant(record)) record.state = 'may have ended'
  }
  return {
    stateOf(token, player) {
      const record = tokens.get(token)
      if (record !== undefined) return player === undefined || record.player === player ? record.state : 'unknown'
      if (tokens.size > 0) return 'unknown'
      return endedTokens.has(token) ? 'ended' : 'not heard of'
    },
    holderOf: (token) => tokens.get(token),
    given: (token, player, currency = 'EUR') =>
      void tokens.set(token, { player, currency, state: hasJumped || ending.has(player) ? 'may have ended' : 'live' }),
    ending(player, isOver) {
      if (isOver) ending.delete(player)
      else ending.add(player)
      markUncertain((record) => record.player === player)
    },
    ended(token) {
      const record = tokens.get(token)
      if (record === undefined) endedTokens.add(token)
      else record.state = 'ended'
    },
    clockJumped() {
      hasJumped = true
      markUncertain(() => true)
    },
    keep: () => ({ tokens: new Map([...tokens].map(([token, record]) => [token, { ...record }])) }),
    restored(kept) {
      tokens.clear()
      for (const [token, record] of kept.tokens) tokens.set(token, { ...record })
      markUncertain(({ player }) => hasJumped || ending.has(player))
    },
  }
}
