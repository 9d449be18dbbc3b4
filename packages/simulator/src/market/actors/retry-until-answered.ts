/**
 * Repeats a user's request until it has an answer. Each attempt lasts as long as a user would wait.
 */

import { sleep } from '@purser/runtime/async/sleep'
import { withTimeout } from '@purser/runtime/async/timeouts'
import { isOutage } from 'purser/core/database/database-errors'
import type { Platform } from 'purser/platform/platform'
import type { Market } from '../market.ts'
import type { GatewayParty, WalletParty } from './market-parties.ts'
import type { WalletName } from './party-names.ts'

const ANSWER_TIMEOUT_MS = 12_000

/**
 * Undefined if the market is over. An error ends the attempts, unless the database has an outage.
 */
export async function retryUntilAnswered<T>(
  cast: { readonly isOver: boolean },
  ask: () => Promise<T> | undefined,
): Promise<T | undefined> {
  while (!cast.isOver) {
    const pending = ask()
    if (pending === undefined) await sleep(1_000)
    else {
      const answer = await withTimeout<T | typeof NONE>(pending.catch(noneOnOutage), ANSWER_TIMEOUT_MS, () => NONE)
      if (answer !== NONE) return answer
    }
  }
  return undefined
}

const NONE = Symbol('no answer')

async function noneOnOutage(error: unknown): Promise<typeof NONE> {
  if (!isOutage(error)) throw error
  await sleep(1_000)
  return NONE
}

export const callOnWallet =
  <T>({ wallet }: Market, name: WalletName, ask: (wallet: WalletParty) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = wallet(name)
    return there && ask(there)
  }

export const callOnGateway =
  <T>({ gateway }: Market, ask: (gateway: GatewayParty) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = gateway()
    return there && ask(there)
  }

export const callOnPlatform =
  <T>({ platform }: Pick<Market, 'platform'>, ask: (platform: Platform) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = platform()
    return there && ask(there)
  }
