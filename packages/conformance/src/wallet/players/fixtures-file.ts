/**
 * Pool of players that exist in a partner's wallet. A file (`--fixtures`) describes them.
 *
 * Cases lease a player one after another. A case begins with the balance that the earlier case left
 * (balance-restore.ts).
 */

import { CurrencySchema, OperatorUserSchema, TokenSchema, UserIdSchema } from '@purser/protocol/bet-request'
import { CustomFieldsSchema } from '@purser/protocol/user-profile'
import { parseDecimal, STANDARD_SCALES } from '@purser/protocol/values/money'
import { errorText } from '@purser/runtime/errors/error-text'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { OPERATOR_API_OPTION } from '../../reports/conformance-report.ts'
import type { CaseNeed, PlayerKind } from '../case/wallet-case.ts'
import {
  type FixturePlayer,
  InvalidFixturesError,
  type KnownProfile,
  type LeasedPlayers,
  type MissingFixture,
  NoPlayersLeftError,
  type PlayerAccount,
  type PlayerFixtures,
  type PlayerLease,
} from './player-fixtures.ts'

const optional = Type.Optional

/** A misspelt member would silently leave cases unjudged. */
const STRICT = { additionalProperties: false }

const PLAYER = {
  userId: UserIdSchema,
  token: TokenSchema,
  currency: optional(CurrencySchema),
  /** Major units, "1000.00". */
  balance: Type.String({ pattern: '^\\d{1,15}(\\.\\d{1,12})?$' }),
  operatorUser: optional(OperatorUserSchema),
  expiredToken: optional(TokenSchema),
}
const PROFILE = { ...CustomFieldsSchema.properties, isTest: Type.Boolean() }

const FilePlayerSchema = Type.Object(PLAYER, STRICT)
const SwitchedPlayerSchema = Type.Object({ ...PLAYER, oldToken: TokenSchema, oldCurrency: CurrencySchema }, STRICT)
const DescribedPlayerSchema = Type.Object({ ...PLAYER, profile: Type.Object(PROFILE, STRICT) }, STRICT)

const FILE = {
  currency: CurrencySchema,
  /** A second currency that `players` may use. */
  otherCurrency: optional(CurrencySchema),
  /** For currencies that differ from ISO 4217. */
  scales: optional(Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 12 }))),
  players: Type.Array(FilePlayerSchema, { minItems: 1, maxItems: 1000 }),
  blocked: optional(FilePlayerSchema),
  selfExcluded: optional(FilePlayerSchema),
  unverified: optional(FilePlayerSchema),
  underAge: optional(FilePlayerSchema),
  crypto: optional(FilePlayerSchema),
  described: optional(DescribedPlayerSchema),
  switched: optional(SwitchedPlayerSchema),
}

const FixturesFileSchema = Type.Object(FILE, STRICT)

type FilePlayer = Type.Static<typeof FilePlayerSchema> & {
  readonly oldToken?: string
  readonly oldCurrency?: string | undefined
  readonly profile?: KnownProfile
}
type FixturesFile = Type.Static<typeof FixturesFileSchema>

const fileCheck = Compile(FixturesFileSchema)

/** Major units that the amounts of the cases need. */
const LEAST_BALANCE = '1000'
const LEAST_CRYPTO_SCALE = 6
const MAX_AT_ONCE = 8

/** Throws InvalidFixturesError. */
export function parseFixturesFile(text: string): PlayerFixtures {
  const file = parseJsonFile(text)
  const ordinary = file.players.map((player) => toPlayer(file, { oldCurrency: file.otherCurrency, ...player }))
  const pools = new Map<PlayerKind, FixturePlayer[]>([['ordinary', ordinary]])
  const special = (kind: PlayerKind, player: FilePlayer | undefined) =>
    player !== undefined && pools.set(kind, [toPlayer(file, player)])
  special('blocked', file.blocked)
  special('selfExcluded', file.selfExcluded)
  special('unverified', file.unverified)
  special('underAge', file.underAge)
  special('switched', file.switched)
  special('crypto', file.crypto)
  special('described', file.described)
  requireUniquePlayers([...pools.values()].flat())
  return createPlayerPool(pools)
}

/** The ordinary players of a file. Throws InvalidFixturesError. */
export function listFixturePlayers(text: string): readonly FixturePlayer[] {
  const file = parseJsonFile(text)
  return file.players.map((player) => toPlayer(file, player))
}

/** Two cases with one player would disturb each other. */
function requireUniquePlayers(players: readonly FixturePlayer[]): void {
  const names = players.map(({ userId }) => userId)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new InvalidFixturesError(`${twice} is in the fixtures twice: list each player once`)
}

function parseJsonFile(text: string): FixturesFile {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (error) {
    throw new InvalidFixturesError(`the fixtures are not JSON: ${errorText(error)}`)
  }
  if (fileCheck.Check(file)) return file
  const problems = fileCheck.Errors(file).flatMap(({ keyword, instancePath, message }) => {
    if (keyword === 'additionalProperties') return [] // a 'boolean' error names the same member
    return [`  ${instancePath || 'the file'} ${keyword === 'boolean' ? 'is unknown' : message}`]
  })
  throw new InvalidFixturesError(`the fixtures file is not valid:\n${problems.join('\n')}`)
}

function toPlayer(file: FixturesFile, player: FilePlayer): FixturePlayer {
  const { userId, token, currency = file.currency, operatorUser, expiredToken, oldToken, oldCurrency, profile } = player
  const first = resolveAccount(file, currency)
  if (player === file.crypto && first.scale < LEAST_CRYPTO_SCALE)
    throw new InvalidFixturesError(
      `${userId} needs a currency with at least ${LEAST_CRYPTO_SCALE} decimal places, not ${currency}`,
    )
  const balance = parseDecimal(player.balance, first.scale)
  if (balance === undefined)
    throw new InvalidFixturesError(`${userId}: "${player.balance}" is not an amount of ${currency}`)
  const found: FixturePlayer = {
    ...{ userId, token, balance, first },
    ...(oldCurrency !== undefined && { second: resolveAccount(file, oldCurrency) }),
    ...(operatorUser !== undefined && { operatorUser }),
    ...(expiredToken !== undefined && { deadToken: expiredToken }),
    ...(oldToken !== undefined && { oldToken }),
    ...(profile !== undefined && { known: profile }),
  }
  if (!hasEnoughBalance(found))
    throw new InvalidFixturesError(`${userId} needs a balance of at least ${LEAST_BALANCE} ${currency}`)
  return found
}

function resolveAccount({ scales = {} }: FixturesFile, currency: string): PlayerAccount {
  const scale = scales[currency] ?? STANDARD_SCALES.get(currency)
  if (scale === undefined) throw new InvalidFixturesError(`"scales" must give the decimal places of ${currency}`)
  return { currency, scale }
}

function hasEnoughBalance({ balance = 0n, first }: FixturePlayer): boolean {
  return balance >= (parseDecimal(LEAST_BALANCE, first.scale) ?? 0n)
}

interface LeaseRequest {
  readonly kind: PlayerKind
  readonly needs: readonly CaseNeed[]
  readonly resolve: (players: LeasedPlayers) => void
  readonly reject: (error: Error) => void
}

/**
 * Leases in the order of the requests. A player whose balance is unknown or too small leaves the
 * pool.
 */
function createPlayerPool(pools: ReadonlyMap<PlayerKind, readonly FixturePlayer[]>): PlayerFixtures {
  const free = new Map([...pools].map(([kind, players]) => [kind, [...players]]))
  const left = new Map([...pools].map(([kind, players]) => [kind, [...players]]))
  let waiting: LeaseRequest[] = []
  const serve = () => {
    waiting = waiting.filter((leaseRequest) => !serveLeaseRequest(leaseRequest, free, left))
  }
  const release = (kind: PlayerKind, lent: FixturePlayer | undefined, players: readonly FixturePlayer[]) => {
    if (lent === undefined) return
    const back = players.find(({ userId }) => userId === lent.userId)
    if (back !== undefined && hasEnoughBalance(back)) free.get(kind)?.push(back)
    else left.set(kind, left.get(kind)?.filter(({ userId }) => userId !== lent.userId) ?? [])
  }
  return {
    capacity: Math.min(MAX_AT_ONCE, pools.get('ordinary')?.length ?? 0),
    areDisposable: false,
    missing: (kind, needs) => findMissingFixtures(pools, kind, needs),
    async lease(kind, needs): Promise<PlayerLease> {
      const players = await new Promise<LeasedPlayers>((resolve, reject) => {
        waiting.push({ kind, needs, resolve, reject })
        serve()
      })
      return {
        players,
        act: () => Promise.reject(new InvalidFixturesError('players of a file have no operator')),
        release(back) {
          release(kind, players.A, back)
          release('ordinary', players.B, back)
          serve()
        },
      }
    },
  }
}

function findMissingFixtures(
  pools: ReadonlyMap<PlayerKind, readonly FixturePlayer[]>,
  kind: PlayerKind,
  needs: readonly CaseNeed[],
): readonly MissingFixture[] {
  const ordinary = pools.get('ordinary')?.length ?? 0
  const candidates = pools.get(kind) ?? []
  const lacks: readonly (readonly [isLacking: boolean, add: string, why: string])[] = [
    [
      needs.includes('operator'),
      OPERATOR_API_OPTION,
      'the operator acts during the case, and the kit needs --operator-api',
    ],
    [candidates.length === 0, kind, `the fixtures have no "${kind}" player`],
    [
      needs.includes('second currency') && candidates.every(({ second }) => second === undefined),
      ...(['otherCurrency', 'the fixtures name no "otherCurrency"'] as const),
    ],
    [
      needs.includes('B') && ordinary < (kind === 'ordinary' ? 2 : 1),
      ...(['a second player', 'the fixtures have no second player'] as const),
    ],
    [
      needs.includes('dead token') && !candidates.some(hasDeadToken),
      ...(['expiredToken', 'no player of the fixtures has an "expiredToken"'] as const),
    ],
  ]
  return lacks.flatMap(([isLacking, add, why]) => (isLacking ? [{ add, why }] : []))
}

function hasDeadToken({ deadToken }: FixturePlayer): boolean {
  return deadToken !== undefined
}

type Pools = ReadonlyMap<PlayerKind, FixturePlayer[]>

/** True if the request is finished, with or without players. */
function serveLeaseRequest({ kind, needs, resolve, reject }: LeaseRequest, free: Pools, left: Pools): boolean {
  const fits = needs.includes('dead token') ? hasDeadToken : () => true
  if (findMissingFixtures(left, kind, needs).length > 0) {
    reject(
      new NoPlayersLeftError('no player is left: earlier cases left balances that are unknown or cannot be restored'),
    )
    return true
  }
  const pool = free.get(kind) ?? []
  const others = free.get('ordinary') ?? []
  const A = pool.find(fits)
  const B = needs.includes('B') ? others.find((player) => player !== A) : undefined
  if (A === undefined || (needs.includes('B') && B === undefined)) return false
  pool.splice(pool.indexOf(A), 1)
  if (B !== undefined) others.splice(others.indexOf(B), 1)
  resolve(B === undefined ? { A } : { A, B })
  return true
}
