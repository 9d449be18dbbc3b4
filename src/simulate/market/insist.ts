/** How people ask: they wait for no answer for longer than people do, and ask again when they heard none. */
import { isOutage } from '../../db/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import { inTime } from '../../runtime/in-time.ts'
import { pause } from '../../runtime/pause.ts'
import type { Market } from './market.ts'
import type { GatewayParty, WalletParty } from './parties.ts'
import type { WalletName } from './who.ts'

/** Milliseconds after which somebody asks again. */
const PATIENCE_MS = 12_000

/** Asks until there is an answer. Undefined: the market is over. What throws is a refusal, and an answer, unless a database has failed. */
export async function insist<T>(
  cast: { readonly isOver: boolean },
  ask: () => Promise<T> | undefined,
): Promise<T | undefined> {
  while (!cast.isOver) {
    const asked = ask()
    if (asked === undefined) await pause(1_000)
    else {
      const answer = await inTime<T | typeof NONE>(asked.catch(noneOfOutage), PATIENCE_MS, () => NONE)
      if (answer !== NONE) return answer
    }
  }
  return undefined
}

const NONE = Symbol('no answer')

/** Nobody asks again at once. */
async function noneOfOutage(error: unknown): Promise<typeof NONE> {
  if (!isOutage(error)) throw error
  await pause(1_000)
  return NONE
}

export const atWallet =
  <T>({ wallet }: Market, name: WalletName, ask: (wallet: WalletParty) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = wallet(name)
    return there && ask(there)
  }

export const atGateway =
  <T>({ gateway }: Market, ask: (gateway: GatewayParty) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = gateway()
    return there && ask(there)
  }

export const atPlatform =
  <T>({ platform }: Pick<Market, 'platform'>, ask: (platform: Platform) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = platform()
    return there && ask(there)
  }
