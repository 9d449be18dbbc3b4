/**
 * Store of the gateway's players and sessions. A database row is written once and never changed.
 */
import { createHash } from 'node:crypto'
import { type Db, type Row, statement, type Tx } from '../../core/database/db.ts'
import {
  createEncryptionKeyring,
  type EncryptionKeyring,
  type StoredSecrets,
} from '../../core/database/encryption/encryption-keyring.ts'

export interface GatewayPlayer {
  /** The gateway's own id, which never changes: the `userId` of every call. */
  readonly userId: string
  readonly operatorId: string
  /** The operator's own id of the player. */
  readonly operatorUser: string
}

export interface TokenRecord {
  readonly player: GatewayPlayer
  readonly operatorToken: string
}

interface PlayerRow extends Row {
  user_id: string
  operator_id: string
  operator_user: string
}

const READ_PLAYER = statement(
  'gateway_read_player',
  'select user_id, operator_id, operator_user from gateway.player where user_id = $1',
)
const FIND_PLAYER = statement(
  'gateway_find_player',
  'select user_id, operator_id, operator_user from gateway.player where operator_id = $1 and operator_user = $2',
)
const INSERT_PLAYER = statement(
  'gateway_insert_player',
  `insert into gateway.player (user_id, operator_id, operator_user, created_at) values ($1, $2, $3, $4::timestamptz)
   on conflict (operator_id, operator_user) do nothing`,
)
const READ_SESSION = statement(
  'gateway_read_session',
  `select p.user_id, p.operator_id, p.operator_user, s.operator_token
   from gateway.session s join gateway.player p on p.user_id = s.user_id where s.token_hash = $1`,
)
const INSERT_SESSION = statement(
  'gateway_insert_session',
  `insert into gateway.session (token_hash, user_id, operator_token, currency, created_at)
   values ($1, $2, $3::json, $4, $5::timestamptz) on conflict (token_hash) do nothing`,
)

export async function readGatewayPlayer(db: Db, userId: string): Promise<GatewayPlayer | undefined> {
  const [row] = await db.query<PlayerRow>(READ_PLAYER, [userId])
  return row && toPlayer(row)
}

/** `token` is the gateway's own. */
export async function readTokenRecord(db: Db, token: string): Promise<TokenRecord | undefined> {
  const [row] = await db.query<PlayerRow & { operator_token: StoredSecrets }>(READ_SESSION, [hashToken(token)])
  if (row === undefined) return undefined
  const opened = createTokenKeyring(token).decrypt(row.operator_token, SEALED_ROW)
  const [operatorToken] = opened.kind === 'opened' ? opened.secrets : []
  if (operatorToken === undefined) throw new Error("the operator's token of a session has been changed")
  return { player: toPlayer(row), operatorToken }
}

/** The first call stores `candidate.userId`; every call returns the stored player. */
export async function ensurePlayer(tx: Tx, candidate: GatewayPlayer, now: Date): Promise<GatewayPlayer> {
  const { userId, operatorId, operatorUser } = candidate
  await tx.execute(INSERT_PLAYER, [userId, operatorId, operatorUser, now])
  const [row] = await tx.query<PlayerRow>(FIND_PLAYER, [operatorId, operatorUser])
  if (row === undefined) throw new Error('the player was not stored')
  return toPlayer(row)
}

/** False if the record exists already. `token` is the gateway's own. */
export async function insertTokenRecord(
  tx: Tx,
  token: string,
  { player, operatorToken, currency }: TokenRecord & { currency: string },
  now: Date,
): Promise<boolean> {
  const sealed = JSON.stringify(createTokenKeyring(token).encrypt([operatorToken], SEALED_ROW))
  return (await tx.execute(INSERT_SESSION, [hashToken(token), player.userId, sealed, currency, now])) === 1
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * Key of a session's row. It needs the gateway's token, of which the database has only the hash
 * (O-6).
 */
function createTokenKeyring(token: string): EncryptionKeyring {
  return createEncryptionKeyring([createHash('sha256').update('key of a session ').update(token).digest()])
}

/** Each row has its own key, so the text needs no other binding to its row. */
const SEALED_ROW = 'gateway.session'

function toPlayer({ user_id, operator_id, operator_user }: PlayerRow): GatewayPlayer {
  return { userId: user_id, operatorId: operator_id, operatorUser: operator_user }
}
