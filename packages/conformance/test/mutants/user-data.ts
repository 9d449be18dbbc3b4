/**
 * Answers the calls that only read: /user/profile, /user/balance, /payment/check (P-1 to P-5;
 * interface.md, User data).
 */
import { decimalsOf, decimalText } from './amount.ts'
import { Crash, MalformedRequest } from './crash.ts'
import { type Answer, tokenProblem } from './decision.ts'
import type { MutantId } from './mutants.ts'
import { type Body, checkOperatorUser } from './shape.ts'
import { betKey, findSession, has, type Player, type Session, type Wallet } from './state.ts'

const TOKEN = { shortest: 10, longest: 64 }
const REQUEST_ID = { shortest: 10, longest: 64 }
const TRANSACTION_ID = { shortest: 10, longest: 36 }
const USER_ID = { shortest: 1, longest: 64 }
const CURRENCY = { shortest: 3, longest: 5 }

function textOf(body: Body, name: string, { shortest, longest }: { shortest: number; longest: number }): string {
  const value = body[name]
  if (typeof value === 'string' && value.length >= shortest && value.length <= longest) return value
  throw new MalformedRequest(`${name} is wrong`)
}

function refused(code: number): Answer {
  return { kind: 'refused', code }
}

function data(body: object): Answer {
  return { kind: 'data', json: JSON.stringify(body) }
}

/** The token alone identifies the player. */
export function profile(wallet: Wallet, body: Body): Answer {
  const token = textOf(body, 'token', TOKEN)
  textOf(body, 'requestId', REQUEST_ID)
  checkOperatorUser(wallet.faults, body)
  if (token.length === TOKEN.longest && has(wallet, 'long-token-crashes')) throw new Crash('the column is too short')
  const session = findSession(wallet, token) ?? anySession(wallet)
  const problem = tokenProblem(wallet, session, session?.userId ?? '')
  const isForgiven = session !== undefined && has(wallet, 'profile-dead-token-accepted')
  if (problem !== undefined && !isForgiven) return refused(problem)
  const player = session && wallet.players.get(session.userId)
  return player === undefined || session === undefined
    ? refused(3)
    : data(spoil(wallet, toProfile(player, session), player))
}

function anySession(wallet: Wallet): Session | undefined {
  if (!has(wallet, 'profile-token-unchecked')) return undefined
  return [...wallet.sessions.values()].find((one) => tokenProblem(wallet, one, one.userId) === undefined)
}

type Profile = Readonly<Record<string, unknown>>

/** The profile: only values that the operator stored (P-2, P-5). */
function toProfile(player: Player, { currency, userSessionIp, userSessionCountry }: Session): Profile {
  const { userId, currencies, isTest, operatorUser, customFields } = player
  const fields = { ...customFields, userSessionIp, userSessionCountry, operatorUser }
  const hasFields = Object.values(fields).some((value) => value !== undefined)
  return { userId, currency, currencies, isTest, operatorUser, customFields: hasFields ? fields : undefined }
}

type Spoil = (profile: Profile, player: Player) => Profile

function withFields(profile: Profile, fields: object): Profile {
  return { ...profile, customFields: { ...fieldsOf(profile), ...fields } }
}

function fieldsOf({ customFields }: Profile): Record<string, unknown> {
  return typeof customFields === 'object' ? { ...customFields } : {}
}

const SPOILS: Readonly<Partial<Record<MutantId, Spoil>>> = {
  'profile-everybody-is-test': (profile) => ({ ...profile, isTest: true }),
  'profile-cashout-constant': (profile) => withFields(profile, { isCashOutAllowed: true }),
  'profile-verified-by-default': (profile) => withFields(profile, { isVerified: true, ...fieldsOf(profile) }),
  'profile-country-constant': (profile) => withFields(profile, { userCountry: 'MT' }),
  'profile-currency-unlisted': (profile, { currencies }) => ({
    ...profile,
    currencies: currencies.filter((one) => one !== profile.currency),
  }),
  'profile-currency-constant': (profile, { currencies }) => ({ ...profile, currency: currencies[0] }),
  'profile-user-changes': (profile) => ({ ...profile, userId: `${profile.userId}-${profile.currency}`.slice(-64) }),
  'profile-user-as-number': (profile) => ({ ...profile, userId: 4711 }),
  'profile-currencies-as-text': (profile, { currencies }) => ({ ...profile, currencies: currencies.join() }),
  'profile-flags-as-numbers': (profile, { isTest = false }) => ({ ...profile, isTest: Number(isTest) }),
  'profile-nulls': (profile) => withFields(profile, { nickname: null, email: null, userCountry: null }),
  'profile-birthday-dotted': (profile) => withFields(profile, { birthday: '31.12.1990' }),
  'profile-registration-iso': (profile) => withFields(profile, { registrationDate: '2025-01-31T12:00:00Z' }),
}

function spoil({ faults }: Wallet, profile: Profile, player: Player): Profile {
  const [fault] = faults
  return (fault && SPOILS[fault]?.(profile, player)) ?? profile
}

/** In the requested currency; a currency without an account is 0 if the player may use it (P-3). */
export function balance(wallet: Wallet, body: Body): Answer {
  const userId = textOf(body, 'userId', USER_ID)
  const asked = textOf(body, 'currency', CURRENCY)
  textOf(body, 'requestId', REQUEST_ID)
  checkOperatorUser(wallet.faults, body)
  const session = findSession(wallet, textOf(body, 'token', TOKEN))
  const owner = has(wallet, 'balance-token-unchecked') ? session?.userId : userId
  const problem = tokenProblem(wallet, session, owner ?? userId)
  if (problem !== undefined) return refused(problem)
  const player = wallet.players.get(userId)
  if (player === undefined) return refused(3)
  const currency = has(wallet, 'balance-currency-ignored') ? player.currency : asked
  const purse = player.purses.get(currency)
  const decimals = decimalsOf(wallet.faults, currency)
  if (decimals === undefined || (purse === undefined && !player.currencies.includes(currency))) return refused(5)
  const isUnused = purse === undefined || purse.units() === 0n
  if (isUnused && currency !== player.currency && has(wallet, 'balance-of-unused-currency-refused')) return refused(5)
  const amount = purse?.text() ?? decimalText(0n, decimals)
  return { kind: 'data', json: withAmount(wallet, { userId, currency: asked }, amount) }
}

/** Writes the exact decimal, because a balance may have more digits than a double (M-1). */
function withAmount(wallet: Wallet, body: object, amount: string): string {
  const cents = amount.replace('.', '').replace(/^(-?)0+(?=\d)/, '$1')
  const number = has(wallet, 'balance-in-minor-units') ? cents : amount
  const written = has(wallet, 'balance-as-text') ? `"${number}"` : number
  return `${JSON.stringify(body).slice(0, -1)},"amount":${written}}`
}

/** The last applied operation of a bet (P-4). */
export function check(wallet: Wallet, body: Body): Answer {
  const transactionId = textOf(body, 'transactionId', TRANSACTION_ID)
  const userId = textOf(body, 'userId', USER_ID)
  checkOperatorUser(wallet.faults, body)
  const bet = wallet.bets.get(betKey(wallet, userId, transactionId))
  if (bet?.placement === undefined) return has(wallet, 'check-unknown-ok') ? data({ transactionId }) : refused(5)
  const { stake, currency } = bet.placement
  const isSettled = bet.state === 'settled'
  const type = isSettled ? 2 : bet.state === 'cancelled' ? 3 : 1
  const units = isSettled && !has(wallet, 'check-tells-the-stake') ? bet.payout : stake
  const decimals = decimalsOf(wallet.faults, currency) ?? 2
  const json = JSON.stringify({ transactionId, currency, type, transactionTime: bet.at })
  return { kind: 'data', json: `${json.slice(0, -1)},"amount":${decimalText(units, decimals)}}` }
}
