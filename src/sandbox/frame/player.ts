/** The demo frame's player: a brand of its own, so that the report has its accounts alone. */
import { randomUUID } from 'node:crypto'
import type { Api } from '../api.ts'
import type { House } from '../stage.ts'

export const PLAYER = 'robin'
export const CURRENCY = 'EUR'
export const SCALE = 2
const WELCOME = '500.00'

export async function createPlayer({ wallet }: House): Promise<void> {
  const customFields = { nickname: 'Robin' }
  await wallet.get(
    'POST',
    '/operator/players',
    { userId: PLAYER, currency: CURRENCY, brand: 'frame', customFields },
    [409],
  )
  await wallet.get('POST', `/operator/players/${PLAYER}/deposits`, {
    currency: CURRENCY,
    amount: WELCOME,
    reference: 'frame-welcome',
  })
}

/** The frame session's id. */
export async function load({ wallet, partnerId }: House, platform: Api): Promise<string> {
  const { token } = await wallet.get<{ token: string }>('POST', `/operator/players/${PLAYER}/sessions`, {
    ttlSeconds: 2_592_000,
  })
  const loaded = await platform.get<{ frameSessionId: string }>('POST', '/frame-sessions', { partnerId, token })
  return loaded.frameSessionId
}

export function move({ wallet }: House, what: 'deposits' | 'withdrawals', amount: string): Promise<unknown> {
  return wallet.get('POST', `/operator/players/${PLAYER}/${what}`, {
    currency: CURRENCY,
    amount,
    reference: `frame-${randomUUID()}`,
  })
}
