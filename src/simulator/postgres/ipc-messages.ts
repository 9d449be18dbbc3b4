/** What the simulation and a wallet in a process of its own say to each other: a turn of what it hears, and what it has done then. */
import type { NetworkAnswer, NetworkRequest } from '../market/network/simulated-network.ts'
import type { SocketErrorCode } from './wire/client-socket.ts'

export interface WalletStart {
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
export const OPENING_EUROS = 50

/** Money moved by hand. */
export interface ManualMovement {
  readonly userId: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly euros: number
  readonly reference: string
}

export type MovementOutcome = 'made' | 'refused' | 'unclear'

/** What it is asked for, besides calls. */
export type WalletRequest =
  | ({ readonly does: 'begin' } & WalletStart)
  | ({ readonly does: 'move' } & ManualMovement)
  /** Resolves to a token. */
  | { readonly does: 'open account'; readonly userId: string }
  | { readonly does: 'end' }

/** What becomes of a connection to Postgres. */
export type SocketEvent =
  | { readonly kind: 'connected' | 'hung up' }
  | { readonly kind: 'data'; readonly data: Uint8Array }
  | { readonly kind: 'broken'; readonly code?: SocketErrorCode }

export type IpcMessage =
  | { readonly says: 'ask'; readonly id: number; readonly asked: WalletRequest }
  | { readonly says: 'call'; readonly id: number; readonly request: NetworkRequest }
  | { readonly says: 'line'; readonly line: number; readonly news: SocketEvent }
  /** Time has passed. */
  | { readonly says: 'time' }

export interface IpcTurn {
  /** Milliseconds since the process began, in the time of the simulation. */
  readonly now: number
  readonly words: readonly IpcMessage[]
}

export type WalletEvent =
  /** It wants a connection to Postgres. */
  | { readonly did: 'open'; readonly line: number }
  | { readonly did: 'send'; readonly line: number; readonly data: Uint8Array }
  | { readonly did: 'leave'; readonly line: number }
  | { readonly did: 'answer'; readonly id: number; readonly answer: NetworkAnswer }
  | { readonly did: 'come to'; readonly id: number; readonly value: string }
  | { readonly did: 'fail'; readonly id: number; readonly error: string }
  | { readonly did: 'note'; readonly text: string }

export interface IpcReply {
  readonly done: readonly WalletEvent[]
  /** When the first of its timers is due; absent: it has none. */
  readonly dueAt?: number
}
