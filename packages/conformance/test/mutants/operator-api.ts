/**
 * The test wallet's part of the operator API, with which a test or the kit creates and changes
 * players.
 */
import { randomBytes } from 'node:crypto'
import { Digits, decimalsOf, decimalText, unitsOf } from './amount.ts'
import { note } from './bet-calls.ts'
import { NO_FAULTS } from './mutants.ts'
import { type Bet, betKey, has, type Limits, type Player, purseOf, type Session, type Wallet } from './state.ts'

export interface OperatorReply {
  readonly status: number
  readonly body?: object
}

type Body = Readonly<Record<string, unknown>>

const DEFAULT_TTL_S = 86_400
const MS = 1_000

/** Undefined for a route that does not exist. */
export function operate(wallet: Wallet, method: string, path: string, body: Body): OperatorReply | undefined {
  const [, userId, what, betId, lock] =
    /^\/operator\/players(?:\/([^/]+)(?:\/(\w+)(?:\/([^/]+)(\/lock)?)?)?)?$/
      .exec(path)
      ?.map((part) => (part === undefined ? part : decodeURIComponent(part))) ?? []
  if (userId === undefined) return method === 'POST' && path === '/operator/players' ? create(wallet, body) : undefined
  const player = wallet.players.get(userId)
  if (player === undefined) return problem(404, 'player_unknown')
  if (betId !== undefined) return aboutBet(wallet, method, player, betId, lock !== undefined)
  return aboutPlayer(wallet, `${method} ${what ?? ''}`.trim(), player, body)
}

function problem(status: number, code: string): OperatorReply {
  return { status, body: { status, code, title: code } }
}

function aboutPlayer(wallet: Wallet, call: string, player: Player, body: Body): OperatorReply | undefined {
  switch (call) {
    case 'GET':
      return { status: 200, body: show(player) }
    case 'PATCH':
      return { status: 200, body: show(patch(player, body)) }
    case 'POST sessions':
      return startSession(wallet, player, body, 201)
    case 'DELETE sessions':
      endSessions(wallet, player)
      return { status: 204 }
    case 'POST currency':
      return switchCurrency(wallet, player, body)
    case 'POST deposits':
      return moveCash(wallet, player, body, 1n)
    case 'POST withdrawals':
      return moveCash(wallet, player, body, -1n)
    case 'POST adjustments':
      return adjust(wallet, player, body)
    case 'GET balances':
      return { status: 200, body: { balances: balancesOf(player) } }
    default:
      return undefined
  }
}

function create({ players }: Wallet, body: Body): OperatorReply {
  const userId = textOf(body.userId)
  const currency = textOf(body.currency)
  if (userId === '' || currency === '') return problem(400, 'invalid_request')
  const player: Player = {
    ...{ userId, currency, status: 'active', limits: {}, purses: new Map(), paid: new Map() },
    currencies: Array.isArray(body.currencies) ? body.currencies.map(textOf) : [currency],
  }
  change(player, body)
  const known = players.get(userId)
  if (known === undefined) players.set(userId, player)
  else if (JSON.stringify(show(known)) !== JSON.stringify(show(player))) return problem(409, 'player_differs')
  return { status: known === undefined ? 201 : 200, body: show(player) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function show({ purses: _, paid: __, ...player }: Player): object {
  return player
}

/** RFC 7396: null removes a member. */
function patch(player: Player, { limits, customFields, ...members }: Body): Player {
  if (limits !== undefined) player.limits = merged(player.limits, limits)
  if (customFields !== undefined) player.customFields = merged(player.customFields ?? {}, customFields)
  change(player, members)
  return player
}

function merged<T extends Limits | Record<string, unknown>>(current: T, patch: unknown): T {
  const members = Object.entries({ ...current, ...(typeof patch === 'object' ? patch : {}) })
  return Object.fromEntries(members.filter(([, value]) => value !== null)) as T
}

const CHANGEABLE = [
  ...['status', 'selfExcludedUntil', 'verified', 'birthday'],
  ...['currencies', 'isTest', 'operatorUser', 'customFields'],
]

function change(player: Player, members: Body): void {
  const given = Object.fromEntries(Object.entries(members).filter(([name]) => CHANGEABLE.includes(name)))
  const kept = Object.entries({ ...player, ...given }).filter(([, value]) => value !== null)
  for (const name of Object.keys(given)) Reflect.deleteProperty(player, name)
  Object.assign(player, Object.fromEntries(kept))
}

function startSession(wallet: Wallet, player: Player, body: Body, status: number): OperatorReply {
  const currency = textOf(body.currency) || player.currency
  if (!player.currencies.includes(currency)) return problem(409, 'currency_not_available')
  const ttlSeconds = typeof body.ttlSeconds === 'number' ? body.ttlSeconds : DEFAULT_TTL_S
  const expiresAt = new Date(wallet.clock.now().getTime() + ttlSeconds * MS)
  const token = randomBytes(32).toString('base64url') // a token has 43 characters (P-1)
  const session: Session = {
    ...{ userId: player.userId, currency, expiresAt, ended: false },
    ...(body.ip !== undefined && { userSessionIp: textOf(body.ip) }),
    ...(body.country !== undefined && { userSessionCountry: textOf(body.country) }),
  }
  wallet.sessions.set(token, session)
  return { status, body: { token, userId: player.userId, currency, expiresAt: expiresAt.toISOString() } }
}

function endSessions({ sessions }: Wallet, { userId }: Player): void {
  for (const session of sessions.values()) if (session.userId === userId) session.ended = true
}

/** A switch gives a new token and ends the earlier ones (P-1). */
function switchCurrency(wallet: Wallet, player: Player, body: Body): OperatorReply {
  const currency = textOf(body.currency)
  if (!player.currencies.includes(currency)) return problem(409, 'currency_not_available')
  if (!has(wallet, 'switch-keeps-tokens')) endSessions(wallet, player)
  player.currency = currency
  return startSession(wallet, player, body, 200)
}

function moveCash(wallet: Wallet, player: Player, body: Body, sign: 1n | -1n): OperatorReply {
  const currency = textOf(body.currency)
  const decimals = decimalsOf(wallet.faults, currency)
  const amount = decimals === undefined ? undefined : unitsOf(NO_FAULTS, new Digits(textOf(body.amount)), decimals)
  if (amount === undefined) return problem(400, 'invalid_request')
  const key = JSON.stringify([player.userId, sign > 0n, body.reference])
  const known = wallet.references.get(key)
  if (known !== undefined) return { status: 201, body: known }
  const exclusion = sign > 0n && body.despiteExclusion !== true ? exclusionOf(wallet, player) : undefined
  if (exclusion !== undefined) return problem(409, exclusion)
  const purse = purseOf(wallet, player, currency)
  if (sign < 0n && !purse.covers(amount)) return problem(409, 'not_enough_money')
  purse.add(sign * amount)
  note(wallet, player.userId, currency, sign * amount)
  const moved = { transferId: key, balance: purse.text() }
  wallet.references.set(key, moved)
  return { status: 201, body: moved }
}

/** An adjustment works in both directions, also for excluded players (O-2). */
function adjust(wallet: Wallet, player: Player, body: Body): OperatorReply {
  const signed = textOf(body.amount)
  const movement = { ...body, amount: signed.replace('-', ''), despiteExclusion: true }
  return moveCash(wallet, player, movement, signed.startsWith('-') ? -1n : 1n)
}

/** The exclusions that reject a deposit (O-3). */
function exclusionOf({ clock }: Wallet, { status, selfExcludedUntil }: Player): string | undefined {
  if (status === 'blocked') return 'player_blocked'
  const isExcluded = selfExcludedUntil !== undefined && new Date(selfExcludedUntil) > clock.now()
  return isExcluded ? 'self_excluded' : undefined
}

function balancesOf({ purses }: Player): object[] {
  return [...purses.values()].map((purse) => ({ currency: purse.currency, amount: purse.text() }))
}

function aboutBet(
  wallet: Wallet,
  method: string,
  { userId }: Player,
  betId: string,
  isLock: boolean,
): OperatorReply | undefined {
  const bet = wallet.bets.get(betKey(wallet, userId, betId))
  if (bet === undefined) return problem(404, 'bet_unknown')
  if (!isLock) return method === 'GET' ? { status: 200, body: viewOf(wallet, bet) } : undefined
  wallet.bets.set(betKey(wallet, userId, betId), { ...bet, locked: method === 'PUT' })
  return { status: 204 }
}

function viewOf({ faults }: Wallet, { state, placement, payout, resultType }: Bet): object {
  if (placement === undefined) return { status: state }
  const { currency, stake } = placement
  const text = (units: bigint) => decimalText(units, decimalsOf(faults, currency) ?? 2)
  const result = state === 'settled' ? { payout: text(payout), resultType } : {}
  return { status: state, currency, stake: text(stake), stakePaidBy: 'player', ...result }
}

/** The player's movements in one currency, newest first, in one page. */
export function statement({ faults, movements }: Wallet, userId: string, currency: string): OperatorReply {
  const moved = movements.get(JSON.stringify([userId, currency])) ?? []
  const decimals = decimalsOf(faults, currency) ?? 2
  return {
    status: 200,
    body: { data: moved.toReversed().map((units) => ({ currency, amount: decimalText(units, decimals) })) },
  }
}
