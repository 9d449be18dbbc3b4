/**
 * The operators to which the gateway forwards calls: a client for each operator, and the list of
 * operators.
 */

import type { Reach } from '@purser/protocol/values/base-url'
import { type Db, type Row, statement } from '../../core/database/db.ts'
import { SECRET_TABLES } from '../../core/database/encryption/encrypted-secrets.ts'
import type { EncryptionKeyring } from '../../core/database/encryption/encryption-keyring.ts'
import { type CallTarget, type CallTargets, createCallTargets } from '../../core/partners/call-targets.ts'
import { createOperatorClient, type OperatorClient } from './operator-client.ts'

export type Operator = CallTarget<'operator'>

export interface OperatorPosition {
  readonly createdAt: Date
  readonly operatorId: string
}

/** `users` are calls that a user waits for; `deliveries` are the platform's other calls. */
export type OperatorTrafficClass = 'users' | 'deliveries'

type OperatorTargets = CallTargets<'operator', OperatorTrafficClass, OperatorClient>

export interface Operators extends Pick<OperatorTargets, 'read' | 'save' | 'connections' | 'close'> {
  readonly findClient: OperatorTargets['findClient']
  /** Newest first, after `position`. */
  list(position: OperatorPosition, limit: number): Promise<(Pick<Operator, 'baseUrl'> & OperatorPosition)[]>
  /** Calls that are sent or wait, by operator. */
  depths(): { readonly operatorId: string; readonly depth: number }[]
  /** The open clients of this process. */
  clients(): Iterable<OperatorClient>
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

export function createOperators(db: Db, keyring: EncryptionKeyring, reach: Reach): Operators {
  const { findClient, listClients, read, save, connections, close } = createCallTargets({
    ...{ db, keyring, table: SECRET_TABLES.gateway },
    openClients(operator) {
      const createClient = () => createOperatorClient({ ...operator, reach })
      return { users: createClient(), deliveries: createClient() }
    },
  })
  return {
    ...{ findClient: findClient, read, save, connections, close },
    async list({ createdAt, operatorId }, limit) {
      const rows = await db.userQueries.query<ListRow>(LIST, [createdAt, operatorId, limit])
      return rows.map((row) => ({ operatorId: row.operator_id, baseUrl: row.base_url, createdAt: row.created_at }))
    },
    depths: () =>
      listClients().map(([operatorId, { users, deliveries }]) => ({
        operatorId,
        depth: users.depth() + deliveries.depth(),
      })),
    clients: () => listClients().flatMap(([, { users, deliveries }]) => [users, deliveries]),
  }
}
