/**
 * Public entry of the HTTP client: signed calls to a wallet, with the time-outs of the interface.
 */
export { type CallOutcome, classifyAnswer } from './answer-classification.ts'
export { createWalletClient, type WalletAnswer, type WalletClient, type WalletClientOptions } from './wallet-client.ts'
