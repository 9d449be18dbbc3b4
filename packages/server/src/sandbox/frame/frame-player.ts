/**
 * Player of the demo frame. The player's brand has no other player, so the brand's report shows
 * only the ledger accounts of this player.
 */
import { randomUUID } from 'node:crypto'
import type { BearerClient } from '../bearer-client.ts'
import { requestFrameSession } from '../bettors/frame-session-request.ts'
import type { SandboxOperator } from '../sandbox-servers.ts'

export const FRAME_PLAYER = 'robin'
/** The first one is active at the start. All have the same scale. */
export const FRAME_CURRENCIES = ['EUR', 'USD'] as const
export type FrameCurrency = (typeof FRAME_CURRENCIES)[number]
export const FRAME_SCALE = 2
const WELCOME = '500.00'

export async function createFramePlayer({ wallet }: SandboxOperator): Promise<void> {
  const customFields = { nickname: 'Robin' }
  const player = {
    userId: FRAME_PLAYER,
    currency: FRAME_CURRENCIES[0],
    currencies: FRAME_CURRENCIES,
    brand: 'frame',
    customFields,
  }
  await wallet.fetchJson('POST', '/operator/players', player, [409])
  for (const currency of FRAME_CURRENCIES) {
    const reference = currency === FRAME_CURRENCIES[0] ? 'frame-welcome' : `frame-welcome-${currency}`
    await wallet.fetchJson('POST', `/operator/players/${FRAME_PLAYER}/deposits`, {
      currency,
      amount: WELCOME,
      reference,
    })
  }
}

/**
 * Returns the id of the frame session. The currency becomes active and ends every earlier session
 * (P-1).
 */
export async function loadPlayerFrame(
  { wallet, partnerId }: SandboxOperator,
  platform: BearerClient,
  currency: FrameCurrency,
): Promise<string> {
  const { token } = await wallet.fetchJson<{ token: string }>('POST', `/operator/players/${FRAME_PLAYER}/currency`, {
    ...{ currency, ttlSeconds: 2_592_000 },
  })
  return requestFrameSession(platform, partnerId, token)
}

export function moveFrameMoney(
  { wallet }: SandboxOperator,
  direction: 'deposits' | 'withdrawals',
  currency: FrameCurrency,
  amount: string,
): Promise<unknown> {
  return wallet.fetchJson('POST', `/operator/players/${FRAME_PLAYER}/${direction}`, {
    currency,
    amount,
    reference: `frame-${randomUUID()}`,
  })
}
