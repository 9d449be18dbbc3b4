/**
 * The messages between the simulation and a wallet in its own process.
 *
 * A turn contains all new input; the reply contains all output.
 */
import type { NetworkAnswer, NetworkRequest } from '../market/network/simulated-network.ts'
import type { SocketErrorCode } from './wire/client-socket.ts'

export interface WalletStart {
  readonly seed: number
  /** 1 or 2. */
  readonly number: number
  readonly url: string
  /** Milliseconds since 1970. */
  readonly startsAt: number
  /** The name of a fault planted between the wallet and its database. */
  readonly fault?: string
}

/** The opening balance is too small for some Place bets. */
export const OPENING_EUROS = 50

export interface ManualMovement {
  readonly userId: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly euros: number
  readonly reference: string
}

export type MovementOutcome = 'made' | 'refused' | 'unclear'

export type WalletRequest =
  | ({ readonly does: 'begin' } & WalletStart)
  | ({ readonly does: 'move' } & ManualMovement)
  /** Resolves to a token. */
  | { readonly does: 'open account'; readonly userId: string }
  | { readonly does: 'end' }

export type SocketEvent =
  | { readonly kind: 'connected' | 'hung up' }
  | { readonly kind: 'data'; readonly data: Uint8Array }
  | { readonly kind: 'broken'; readonly code?: SocketErrorCode }

export type IpcMessage =
  | { readonly says: 'ask'; readonly id: number; readonly asked: WalletRequest }
  | { readonly says: 'call'; readonly id: number; readonly request: NetworkRequest }
  | { readonly says: 'line'; readonly line: number; readonly news: SocketEvent }
  /** The time has moved. */
  | { readonly says: 'time' }

export interface IpcTurn {
  /** Milliseconds of virtual time since the start of the process. */
  readonly now: number
  readonly words: readonly IpcMessage[]
}

export type WalletEvent =
  | { readonly did: 'open'; readonly line: number }
  | { readonly did: 'send'; readonly line: number; readonly data: Uint8Array }
  | { readonly did: 'leave'; readonly line: number }
  | { readonly did: 'answer'; readonly id: number; readonly answer: NetworkAnswer }
  | { readonly did: 'come to'; readonly id: number; readonly value: string }
  | { readonly did: 'fail'; readonly id: number; readonly error: string }
  | { readonly did: 'note'; readonly text: string }

export interface IpcReply {
  readonly done: readonly WalletEvent[]
  /** Absent without a timer. */
  readonly dueAt?: number
}
