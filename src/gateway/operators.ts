/** Operators: whom the gateway calls, each by links of its own, so that none delays another. */
import { isDeepStrictEqual } from 'node:util'
import { type Db, type Row, statement, type Tx } from '../db/db.ts'
import { fromColumn, replacedSecrets, SECRET_TABLES, toColumn } from '../db/kept-secrets.ts'
import type { Kept, Keyring } from '../db/keyring.ts'
import type { Author } from '../people/actions.ts'
import type { Soon } from '../runtime/soon.ts'
import { world } from '../runtime/world.ts'
import { createLink, type Link } from './link.ts'

export interface Operator {
  readonly operatorId: string
  readonly baseUrl: string
  /** The first signs (C-13). */
  readonly secrets: readonly string[]
}

/** A place in the list of operators. */
export interface Place {
  readonly createdAt: Date
  readonly operatorId: string
}

/** Users wait for some calls; the others must not queue behind theirs, least of all a rollback behind bets that hang. */
export type Use = 'users' | 'deliveries'

export interface Operators {
  /** Undefined when there is no such operator; rejects when that cannot be found out. */
  link(operatorId: string, use: Use): Soon<Link | undefined>
  read(operatorId: string): Promise<Operator | undefined>
  /** Adds an operator, or changes its address or secret; other processes notice within REFRESH_MS. */
  save(author: Author, operator: Operator, now: Date): Promise<void>
  /** Newest first, from behind this one on. */
  list(before: Place, limit: number): Promise<(Pick<Operator, 'baseUrl'> & Place)[]>
  /** Calls sent or waiting, by operator. */
  depths(): { readonly operatorId: string; readonly depth: number }[]
  /** All that are known now. */
  links(): Iterable<Link>
  close(): Promise<void>
}

interface OperatorRow extends Row {
  operator_id: string
  base_url: string
  secrets: Kept
}

interface ListRow extends Row {
  operator_id: string
  base_url: string
  created_at: Date
}

const OPERATOR_SECRETS = SECRET_TABLES.gateway

const READ = statement(
  'gateway_read_operator',
  'select operator_id, base_url, secrets from gateway.operator where operator_id = $1',
)
const LIST = statement(
  'gateway_list_operators',
  `select operator_id, base_url, created_at from gateway.operator
   where (created_at, operator_id) < ($1::timestamptz, $2) order by created_at desc, operator_id desc limit $3::int`,
)
const ADD = statement(
  'gateway_add_operator',
  `insert into gateway.operator (operator_id, base_url, secrets, created_at) values ($1, $2, $3::json, $4::timestamptz)
   on conflict (operator_id) do nothing`,
)
const LOCK = statement(
  'gateway_lock_operator',
  'select operator_id, base_url, secrets from gateway.operator where operator_id = $1 for update',
)
const CHANGE = statement(
  'gateway_change_operator',
  'update gateway.operator set base_url = $2, secrets = $3::json where operator_id = $1',
)

/** Milliseconds for which an operator's address and secret are used before they are read again. */
const REFRESH_MS = 5_000

interface Known {
  readonly operator: Operator
  readonly links: Readonly<Record<Use, Link>>
  readAt: number
}

/** `allowsInside`: as a WalletAddress has it. */
export function createOperators(db: Db, keyring: Keyring, allowsInside: boolean): Operators {
  const known = new Map<string, Known>()
  const linksTo = (operator: Operator) => {
    const link = () => createLink({ ...operator, allowsInside })
    return { users: link(), deliveries: link() }
  }
  const read = async (operatorId: string) => {
    const [row] = await db.query<OperatorRow>(READ, [operatorId])
    return row && toOperator(keyring, row)
  }
  const refresh = async (operatorId: string): Promise<Known | undefined> => {
    const operator = await read(operatorId)
    return operator && remember(known, operator, linksTo)
  }
  return {
    read,
    link(operatorId, use) {
      const current = known.get(operatorId)
      if (current === undefined) return refresh(operatorId).then((found) => found?.links[use])
      if (world.elapsed() - current.readAt >= REFRESH_MS) {
        current.readAt = world.elapsed() // one reads; the others, and this one, go on with what is known
        refresh(operatorId).catch(() => {})
      }
      return current.links[use]
    },
    async save(author, operator, now) {
      await db.transaction((tx) => write(tx, keyring, author, operator, now))
      remember(known, operator, linksTo)
    },
    async list({ createdAt, operatorId }, limit) {
      const rows = await db.people.query<ListRow>(LIST, [createdAt, operatorId, limit])
      return rows.map((row) => ({ operatorId: row.operator_id, baseUrl: row.base_url, createdAt: row.created_at }))
    },
    depths: () =>
      [...known].map(([operatorId, { links }]) => ({
        operatorId,
        depth: links.users.depth() + links.deliveries.depth(),
      })),
    links: () => [...known.values()].flatMap(({ links }) => [links.users, links.deliveries]),
    close: async () => {
      await Promise.all([...known.values()].map(closeLinks))
    },
  }
}

async function write(
  tx: Tx,
  keyring: Keyring,
  author: Author,
  { operatorId, baseUrl, secrets }: Operator,
  at: Date,
): Promise<void> {
  const kept = toColumn(keyring, OPERATOR_SECRETS, operatorId, secrets)
  const isNew = (await tx.execute(ADD, [operatorId, baseUrl, kept, at])) === 1
  const [row] = isNew ? [] : await tx.query<OperatorRow>(LOCK, [operatorId])
  const before = row && {
    baseUrl: row.base_url,
    secret: replacedSecrets(keyring, OPERATOR_SECRETS, operatorId, row.secrets),
  }
  await Promise.all([
    row && tx.execute(CHANGE, [operatorId, baseUrl, kept]),
    author.record(tx, { on: { operatorId }, before: before ?? {}, after: { baseUrl, secret: secrets }, at }),
  ])
}

/** Keeps the links while the operator is the same; replaced ones finish their calls, also that of somebody who has just asked for one. */
function remember(
  known: Map<string, Known>,
  operator: Operator,
  linksTo: (operator: Operator) => Known['links'],
): Known {
  const current = known.get(operator.operatorId)
  if (current !== undefined && isDeepStrictEqual(current.operator, operator)) {
    current.readAt = world.elapsed()
    return current
  }
  if (current !== undefined) world.nextTurn(() => void closeLinks(current))
  const fresh = { operator, links: linksTo(operator), readAt: world.elapsed() }
  known.set(operator.operatorId, fresh)
  return fresh
}

async function closeLinks({ links }: Known): Promise<void> {
  await Promise.all([links.users.close(), links.deliveries.close()])
}

function toOperator(keyring: Keyring, { operator_id: operatorId, base_url: baseUrl, secrets }: OperatorRow): Operator {
  return { operatorId, baseUrl, secrets: fromColumn(keyring, OPERATOR_SECRETS, operatorId, secrets) }
}
