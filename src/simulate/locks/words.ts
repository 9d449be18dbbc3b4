/** What the simulation and a wallet in a process of its own say to each other: a turn of what it hears, and what it has done then. */
import type { Answer, Request } from '../market/network.ts'
import type { Broken } from './line.ts'

export interface Beginning {
  readonly seed: number
  /** 1 or 2. */
  readonly number: number
  readonly url: string
  /** Milliseconds since 1970. */
  readonly startsAt: number
  /** A fault that is planted between it and its database, by its name. */
  readonly fault?: string
}

/** What a player has in the beginning; some Place bets are too much for it. */
export const EUROS = 50

/** Money moved by hand. */
export interface Movement {
  readonly userId: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly euros: number
  readonly reference: string
}

export type Moved = 'made' | 'refused' | 'unclear'

/** What it is asked for, besides calls. */
export type Asked =
  | ({ readonly does: 'begin' } & Beginning)
  | ({ readonly does: 'move' } & Movement)
  /** Resolves to a token. */
  | { readonly does: 'open account'; readonly userId: string }
  | { readonly does: 'end' }

/** What becomes of a connection to Postgres. */
export type News =
  | { readonly kind: 'connected' | 'hung up' }
  | { readonly kind: 'data'; readonly data: Uint8Array }
  | { readonly kind: 'broken'; readonly code?: Broken }

export type Word =
  | { readonly says: 'ask'; readonly id: number; readonly asked: Asked }
  | { readonly says: 'call'; readonly id: number; readonly request: Request }
  | { readonly says: 'line'; readonly line: number; readonly news: News }
  /** Time has passed. */
  | { readonly says: 'time' }

export interface Told {
  /** Milliseconds since the process began, in the time of the simulation. */
  readonly now: number
  readonly words: readonly Word[]
}

export type Done =
  /** It wants a connection to Postgres. */
  | { readonly did: 'open'; readonly line: number }
  | { readonly did: 'send'; readonly line: number; readonly data: Uint8Array }
  | { readonly did: 'leave'; readonly line: number }
  | { readonly did: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly did: 'come to'; readonly id: number; readonly value: string }
  | { readonly did: 'fail'; readonly id: number; readonly error: string }
  | { readonly did: 'note'; readonly text: string }

export interface Reply {
  readonly done: readonly Done[]
  /** When the first of its timers is due; absent: it has none. */
  readonly dueAt?: number
}
