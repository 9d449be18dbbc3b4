/** Ids in the calls of the interface. All are opaque and compared exactly as received (I-7). */
import { formatJsonValue } from './bet-description.ts'

declare const brand: unique symbol

/** The member `transactionId`: 10–36 characters, unique per player (I-1). */
export type BetId = string & { readonly [brand]: 'BetId' }

/**
 * The owner of the money: `userId`, or `operatorUser` if an aggregator calls (I-1). 1–64
 * characters.
 */
export type PlayerId = string & { readonly [brand]: 'PlayerId' }

/**
 * Identifies a request for troubleshooting and for late repeats (I-2). 10–64 characters. It is no
 * idempotency key.
 */
export type RequestId = string & { readonly [brand]: 'RequestId' }

/** A configured code of 3–5 upper-case characters (M-2). */
export type Currency = string & { readonly [brand]: 'Currency' }

/** The form of our own ids, such as the platform's bet ids. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Characters. */
export const MAX_PLATFORM_NAME = 32
/**
 * Name of a platform (W-43). It has neither @ nor a dot, which enclose the name in a bet id
 * (qualified-bet-id.ts).
 */
export const PLATFORM_NAME = `[a-z0-9][a-z0-9_-]{0,${MAX_PLATFORM_NAME - 1}}`

/** Characters. */
export const MAX_SITE = 64

/** Id of an event or outcome by which bets can be found (W-44). JSON writes it without escapes. */
export const SELECTION_ID = /^[^\p{Cc}\p{Cs}"\\]{1,64}$/u

/**
 * True if the text can be stored and compared exactly (I-7). Postgres rejects NUL. UTF-8 replaces a
 * lone surrogate, so two ids could become equal.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/**
 * The stored form of `subPartnerId`. The interface does not limit it, and no value causes a
 * rejection. The bet's details keep the original.
 */
export function toSite(subPartnerId: unknown): string {
  const site = subPartnerId === null || subPartnerId === undefined ? '' : formatJsonValue(subPartnerId)
  return site.slice(0, MAX_SITE).toWellFormed().replaceAll('\u0000', '\ufffd')
}
