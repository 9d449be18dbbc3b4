/** Operators: whom the gateway calls, by links, and the list of them. */
import { type Db, type Row, statement } from '../db/db.ts'
import { SECRET_TABLES } from '../db/kept-secrets.ts'
import type { Keyring } from '../db/keyring.ts'
import type { Reach } from '../protocol/base-url.ts'
import { createTargets, type Target, type Targets } from '../wallet-client/targets.ts'
import { createLink, type Link } from './link.ts'

export type Operator = Target<'operator'>

/** A place in the list of operators. */
export interface Place {
  readonly createdAt: Date
  readonly operatorId: string
}

/** Users wait for some calls; the platform's deliveries bring the others. */
export type Use = 'users' | 'deliveries'

type OperatorTargets = Targets<'operator', Use, Link>

export interface Operators extends Pick<OperatorTargets, 'read' | 'save' | 'connections' | 'close'> {
  readonly link: OperatorTargets['way']
  /** Newest first, from behind this one on. */
  list(before: Place, limit: number): Promise<(Pick<Operator, 'baseUrl'> & Place)[]>
  /** Calls sent or waiting, by operator. */
  depths(): { readonly operatorId: string; readonly depth: number }[]
  /** All that are known now. */
  links(): Iterable<Link>
}

interface ListRow extends Row {
  operator_id: string
  base_url: string
  created_at: Date
}

const LIST = statement(
  'gateway_list_operators',
  `select operator_id, base_url, created_at from gateway.operator
   where (created_at, operator_id) < ($1::timestamptz, $2) order by created_at desc, operator_id desc limit $3::int`,
)

export function createOperators(db: Db, keyring: Keyring, reach: Reach): Operators {
  const { way, ways, read, save, connections, close } = createTargets({
    ...{ db, keyring, table: SECRET_TABLES.gateway },
    open(operator) {
      const link = () => createLink({ ...operator, reach })
      return { users: link(), deliveries: link() }
    },
  })
  return {
    ...{ link: way, read, save, connections, close },
    async list({ createdAt, operatorId }, limit) {
      const rows = await db.people.query<ListRow>(LIST, [createdAt, operatorId, limit])
      return rows.map((row) => ({ operatorId: row.operator_id, baseUrl: row.base_url, createdAt: row.created_at }))
    },
    depths: () =>
      ways().map(([operatorId, { users, deliveries }]) => ({ operatorId, depth: users.depth() + deliveries.depth() })),
    links: () => ways().flatMap(([, { users, deliveries }]) => [users, deliveries]),
  }
}
