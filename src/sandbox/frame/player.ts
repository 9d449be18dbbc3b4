/** The demo frame's player: a brand of its own, so that the report has its accounts alone. */
import { randomUUID } from 'node:crypto'
import type { Api } from '../api.ts'
import { loadFrame } from '../load-frame.ts'
import type { House } from '../stage.ts'

export const PLAYER = 'robin'
/** The first one is the player's at the start. All have the same scale. */
export const CURRENCIES = ['EUR', 'USD'] as const
export type FrameCurrency = (typeof CURRENCIES)[number]
export const SCALE = 2
const WELCOME = '500.00'

export async function createPlayer({ wallet }: House): Promise<void> {
  const customFields = { nickname: 'Robin' }
  const player = { userId: PLAYER, currency: CURRENCIES[0], currencies: CURRENCIES, brand: 'frame', customFields }
  await wallet.get('POST', '/operator/players', player, [409])
  await wallet.get('PATCH', `/operator/players/${PLAYER}`, { currencies: CURRENCIES }) // one of an earlier version has one
  for (const currency of CURRENCIES) {
    const reference = currency === CURRENCIES[0] ? 'frame-welcome' : `frame-welcome-${currency}`
    await wallet.get('POST', `/operator/players/${PLAYER}/deposits`, { currency, amount: WELCOME, reference })
  }
}

/** The frame session's id. The currency is the player's from now on, and every session before ends (P-1). */
export async function load({ wallet, partnerId }: House, platform: Api, currency: FrameCurrency): Promise<string> {
  const { token } = await wallet.get<{ token: string }>('POST', `/operator/players/${PLAYER}/currency`, {
    ...{ currency, ttlSeconds: 2_592_000 },
  })
  return loadFrame(platform, partnerId, token)
}

export function move(
  { wallet }: House,
  what: 'deposits' | 'withdrawals',
  currency: FrameCurrency,
  amount: string,
): Promise<unknown> {
  return wallet.get('POST', `/operator/players/${PLAYER}/${what}`, {
    currency,
    amount,
    reference: `frame-${randomUUID()}`,
  })
}
