/**
 * The auditor's knowledge of tokens: the player and the state of each (P-1).
 *
 * The simulated staff report each start and end of a session to the auditor. A token that the
 * wallet refuses as expired counts as ended.
 */

/** `not reported`: without reports of the staff, the auditor accepts every refusal. */
export type TokenState = 'live' | 'may have ended' | 'ended' | 'unknown' | 'absent' | 'not reported'

interface TokenRecord {
  readonly player: string
  readonly currency: string
  state: 'live' | 'may have ended' | 'ended'
}

export interface TokenSnapshot {
  readonly tokens: ReadonlyMap<string, TokenRecord>
}

export interface TokenOracle {
  /** Without a player, the holder is not compared. */
  stateOf(token: string, player: string | undefined): TokenState
  holderOf(token: string): { readonly player: string; readonly currency: string } | undefined
  given(token: string, player: string, currency?: string): void
  /** `isOver`: the request to end all tokens of the player has been answered. */
  ending(player: string, isOver: boolean): void
  ended(token: string): void
  /** A clock was set by a day: tokens may have expired, or be valid again. */
  clockJumped(): void
  keep(): TokenSnapshot
  /** The wallet has its old state again. Tokens that are being ended still end. */
  restored(kept: TokenSnapshot): void
}

export function createTokenOracle(): TokenOracle {
  const tokens = new Map<string, TokenRecord>()
  const ending = new Set<string>()
  /** Ended tokens, if the auditor gets no reports. */
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
      return endedTokens.has(token) ? 'ended' : 'not reported'
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
