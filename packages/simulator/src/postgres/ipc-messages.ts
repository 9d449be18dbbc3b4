/**
 * The messages between the simulation and a wallet in its own process.
 *
 * They alternate in turns: a message with all new input, then a reply with all output.
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
  readonly direction: 'deposit' | 'withdrawal'
  readonly euros: number
  readonly reference: string
}

export type MovementOutcome = 'made' | 'refused' | 'unclear'

export type WalletRequest =
  | ({ readonly kind: 'begin' } & WalletStart)
  | ({ readonly kind: 'move' } & ManualMovement)
  /** Resolves to a token. */
  | { readonly kind: 'open account'; readonly userId: string }
  | { readonly kind: 'end' }

export type SocketEvent =
  | { readonly kind: 'connected' | 'hung up' }
  | { readonly kind: 'data'; readonly data: Uint8Array }
  | { readonly kind: 'broken'; readonly code?: SocketErrorCode }

export type IpcMessage =
  | { readonly kind: 'request'; readonly id: number; readonly walletRequest: WalletRequest }
  | { readonly kind: 'call'; readonly id: number; readonly request: NetworkRequest }
  | { readonly kind: 'socket'; readonly socket: number; readonly event: SocketEvent }
  /** The time has moved. */
  | { readonly kind: 'time' }

export interface IpcTurn {
  /** Milliseconds of virtual time since the start of the process. */
  readonly now: number
  readonly messages: readonly IpcMessage[]
}

export type WalletEvent =
  | { readonly kind: 'open'; readonly socket: number }
  | { readonly kind: 'send'; readonly socket: number; readonly data: Uint8Array }
  | { readonly kind: 'close'; readonly socket: number }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: NetworkAnswer }
  | { readonly kind: 'resolve'; readonly id: number; readonly value: string }
  | { readonly kind: 'reject'; readonly id: number; readonly error: string }
  | { readonly kind: 'note'; readonly text: string }

export interface IpcReply {
  readonly events: readonly WalletEvent[]
  /** Absent without a timer. */
  readonly dueAt?: number
}
