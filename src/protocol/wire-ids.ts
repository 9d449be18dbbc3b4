/** Identifiers of the wire. All are opaque and compared exactly as received (I-7). */
import { formatJsonValue } from './bet-description.ts'

declare const brand: unique symbol

/** The wire's `transactionId`: 10–36 characters, unique per player (I-1). */
export type BetId = string & { readonly [brand]: 'BetId' }

/** Whose money moves: the wire's `userId`, or `operatorUser` behind an aggregator (I-1). 1–64 characters. */
export type PlayerId = string & { readonly [brand]: 'PlayerId' }

/** Names one request, for troubleshooting and for late repeats (I-2). 10–64 characters. Not an idempotency key. */
export type RequestId = string & { readonly [brand]: 'RequestId' }

/** An upper-case currency code of 3–5 characters that is configured here (M-2). */
export type Currency = string & { readonly [brand]: 'Currency' }

/** As we write our own: the platform's bets, and what else is found by one. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Characters. */
export const MAX_PLATFORM_NAME = 32
/**
 * Of a platform among several (W-43). Neither @ nor a dot: they stand around it in the id of a bet
 * (qualified-bet-id.ts).
 */
export const PLATFORM_NAME = `[a-z0-9][a-z0-9_-]{0,${MAX_PLATFORM_NAME - 1}}`

/** Characters. */
export const MAX_SITE = 64

/** The id of an event or an outcome by which a bet is found (W-44): one that JSON writes as it is. */
export const SELECTION_ID = /^[^\p{Cc}\p{Cs}"\\]{1,64}$/u

/**
 * True if the text can be stored and compared exactly as received (I-7): no NUL (Postgres refuses it), no lone
 * surrogate (UTF-8 would replace it, and two ids would become one).
 */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/** As it is stored: free text is not bounded by the interface, and refuses no bet. What was cut or replaced stays in the bet's details. */
export function toSite(subPartnerId: unknown): string {
  const site = subPartnerId === null || subPartnerId === undefined ? '' : formatJsonValue(subPartnerId)
  return site.slice(0, MAX_SITE).toWellFormed().replaceAll('\u0000', '\ufffd')
}
