/** Who takes part in a market: one operator's wallet that the platform calls, or two operators' behind a gateway. */
import type { Scene } from './scene.ts'

export const WALLETS = ['wallet', 'other wallet'] as const
export type WalletName = (typeof WALLETS)[number]

export const PARTIES = [...WALLETS, 'gateway', 'platform'] as const
export type PartyName = (typeof PARTIES)[number]

/** Whom others call. */
export type ListenerName = Exclude<PartyName, 'platform'>

export const URLS: Readonly<Record<ListenerName, string>> = {
  wallet: 'http://wallet.example',
  'other wallet': 'http://other-wallet.example',
  gateway: 'http://gateway.example',
}

const DIRECT: readonly PartyName[] = ['wallet', 'platform']

/** In the order in which they begin. */
export function partiesOf({ operators }: Scene): readonly PartyName[] {
  return operators === 1 ? DIRECT : PARTIES
}

export function walletsOf(scene: Scene): readonly WalletName[] {
  return WALLETS.filter((wallet) => partiesOf(scene).includes(wallet))
}

export function isWallet(party: PartyName): party is WalletName {
  return party !== 'gateway' && party !== 'platform'
}

export function serverOf(party: PartyName): 'wallet' | 'gateway' | 'platform' {
  return isWallet(party) ? 'wallet' : party
}

/** Whom the platform calls. */
export function partnerOf({ operators }: Scene): ListenerName {
  return operators === 1 ? 'wallet' : 'gateway'
}
