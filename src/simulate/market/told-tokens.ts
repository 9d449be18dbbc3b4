/** What the auditor knows of tokens (P-1): whose each is, and whether it is alive. It is told by the operator's people, and believes refusals as expired. */

/** `not heard of`: nobody tells the auditor about tokens, so that every refusal is believed. */
export type TokenState = 'live' | 'may have ended' | 'ended' | 'unknown' | 'absent' | 'not heard of'

interface Told {
  readonly player: string
  readonly currency: string
  state: 'live' | 'may have ended' | 'ended'
}

export interface KeptTokens {
  readonly tokens: ReadonlyMap<string, Told>
}

export interface ToldTokens {
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
  keep(): KeptTokens
  /** The wallet knows what it knew then. What is just being ended will be. */
  restored(kept: KeptTokens): void
}

export function createToldTokens(): ToldTokens {
  const tokens = new Map<string, Told>()
  const ending = new Set<string>()
  /** Of these it is known that they have ended, where it is told of no others. */
  const strangers = new Set<string>()
  let hasJumped = false
  const doubt = (isMeant: (told: Told) => boolean) => {
    for (const told of tokens.values()) if (told.state === 'live' && isMeant(told)) told.state = 'may have ended'
  }
  return {
    stateOf(token, player) {
      const told = tokens.get(token)
      if (told !== undefined) return player === undefined || told.player === player ? told.state : 'unknown'
      if (tokens.size > 0) return 'unknown'
      return strangers.has(token) ? 'ended' : 'not heard of'
    },
    holderOf: (token) => tokens.get(token),
    given: (token, player, currency = 'EUR') =>
      void tokens.set(token, { player, currency, state: hasJumped || ending.has(player) ? 'may have ended' : 'live' }),
    ending(player, isOver) {
      if (isOver) ending.delete(player)
      else ending.add(player)
      doubt((told) => told.player === player)
    },
    ended(token) {
      const told = tokens.get(token)
      if (told === undefined) strangers.add(token)
      else told.state = 'ended'
    },
    clockJumped() {
      hasJumped = true
      doubt(() => true)
    },
    keep: () => ({ tokens: new Map([...tokens].map(([token, told]) => [token, { ...told }])) }),
    restored(kept) {
      tokens.clear()
      for (const [token, told] of kept.tokens) tokens.set(token, { ...told })
      doubt(({ player }) => hasJumped || ending.has(player))
    },
  }
}
