/**
 * Names and addresses of the parties of a simulated market. The platform calls one wallet, or a
 * gateway in front of two operators' wallets.
 */
import type { Scenario } from '../scenario.ts'

export const WALLET_NAMES = ['wallet', 'other wallet'] as const
export type WalletName = (typeof WALLET_NAMES)[number]

export const PARTY_NAMES = [...WALLET_NAMES, 'gateway', 'platform'] as const
export type PartyName = (typeof PARTY_NAMES)[number]

export type ListenerName = Exclude<PartyName, 'platform'>

export const PARTY_URLS: Readonly<Record<ListenerName, string>> = {
  wallet: 'http://wallet.example',
  'other wallet': 'http://other-wallet.example',
  gateway: 'http://gateway.example',
}

const DIRECT: readonly PartyName[] = ['wallet', 'platform']

/** In the order of their start. */
export function partiesOf({ operators }: Scenario): readonly PartyName[] {
  return operators === 1 ? DIRECT : PARTY_NAMES
}

export function walletsOf(scenario: Scenario): readonly WalletName[] {
  return WALLET_NAMES.filter((wallet) => partiesOf(scenario).includes(wallet))
}

export function isWallet(party: PartyName): party is WalletName {
  return party !== 'gateway' && party !== 'platform'
}

export function serverOf(party: PartyName): 'wallet' | 'gateway' | 'platform' {
  return isWallet(party) ? 'wallet' : party
}

export function partnerOf({ operators }: Scenario): ListenerName {
  return operators === 1 ? 'wallet' : 'gateway'
}
