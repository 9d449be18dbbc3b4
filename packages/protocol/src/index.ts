/**
 * Public entry of the package: signature, operations, bodies, reply codes, money. The code needs no
 * network and no clock.
 */
export type {
  PlaceBetRequest,
  ResultType,
  RollbackRequest,
  SettleRequest,
  UnsettleRequest,
} from './bet-request.ts'
export { BET_SCHEMAS } from './bet-request.ts'
export { requireShape } from './call-fault.ts'
export { VALIDATORS } from './call-validators.ts'
export { type BetOperation, OPERATIONS, type Operation, parseBetOperation } from './operation.ts'
export { REPLY_CODES, type ReplyCode, ROLLBACK_REASONS, replyCode } from './reply-codes.ts'
export { type CallBody, MalformedCall, parseCallBody } from './request-body.ts'
export { findSigner, SIGNATURE_HEADER, signBody, verifySignature } from './signature.ts'
export type { BalanceRequest, ProfileRequest, UserProfile } from './user-profile.ts'
export { parseJson } from './values/exact-json.ts'
export {
  formatMoney,
  type Money,
  parseDecimal,
  parseWireAmount,
  parseWirePayout,
  type Scales,
  STANDARD_SCALES,
} from './values/money.ts'
export { LIMITS } from './wire-limits.ts'
export { type BetReply, createFailure, createRefusal, type ErrorReply, type WireReply } from './wire-reply.ts'
