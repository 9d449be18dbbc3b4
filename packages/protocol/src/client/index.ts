/** Public entry of the client: signed calls to a wallet, with the interface's time-outs. */
export { type CallOutcome, classifyAnswer } from './answer-classification.ts'
export { createWalletClient, type WalletAnswer, type WalletClient, type WalletClientOptions } from './wallet-client.ts'
