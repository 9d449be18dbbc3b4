/** Schemas of the calls User data and Balance (interface.md, User profile; P-2, P-3, P-5). */
import { type Static, Type } from 'typebox'
import {
  CurrencySchema,
  IpSchema,
  OperatorUserSchema,
  RequestIdSchema,
  TokenSchema,
  UserIdSchema,
} from './bet-request.ts'

const optional = Type.Optional
const text = Type.String()
export const CountrySchema = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' })

/** POST /user/profile. */
export const ProfileRequestSchema = Type.Object({
  token: TokenSchema,
  requestId: RequestIdSchema,
  operatorUser: optional(OperatorUserSchema),
})

/** POST /user/balance (P-3). */
export const BalanceRequestSchema = Type.Object({
  token: TokenSchema,
  userId: UserIdSchema,
  currency: CurrencySchema,
  requestId: RequestIdSchema,
  operatorUser: optional(OperatorUserSchema),
})

/** Each member is optional. Unknown members are kept unchanged (P-2). */
export const CustomFieldsSchema = Type.Object({
  firstName: optional(text),
  lastName: optional(text),
  nickname: optional(text),
  email: optional(text),
  birthday: optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  gender: optional(Type.Enum(['female', 'male', 'no data'])),
  phone: optional(text),
  isCashOutAllowed: optional(Type.Boolean()),
  isVerified: optional(Type.Boolean()),
  userCountry: optional(CountrySchema),
  userStatus: optional(Type.String({ description: 'The antifraud status. The interface does not list its values.' })),
  userSessionIp: optional(IpSchema),
  userSessionCountry: optional(CountrySchema),
  registrationDate: optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' })),
  percentMargin: optional(Type.Number()),
  avgBet: optional(Type.Number()),
  isAbuser: optional(Type.Number()),
  isVIP: optional(Type.Number()),
  operatorUser: optional(OperatorUserSchema),
})

/** `currency` is the currency of the token (P-1). */
export const UserProfileSchema = Type.Object({
  userId: UserIdSchema,
  currency: CurrencySchema,
  currencies: optional(Type.Array(CurrencySchema)),
  isTest: optional(Type.Boolean({ description: 'An absent member means false.' })),
  operatorUser: optional(OperatorUserSchema),
  customFields: optional(CustomFieldsSchema),
})

export const BalanceReplySchema = Type.Object({
  userId: UserIdSchema,
  currency: CurrencySchema,
  amount: Type.Number({ description: 'The balance as an exact decimal.' }),
})

export type ProfileRequest = Static<typeof ProfileRequestSchema>
export type BalanceRequest = Static<typeof BalanceRequestSchema>
export type CustomFields = Static<typeof CustomFieldsSchema>
export type UserProfile = Static<typeof UserProfileSchema>
