/**
 * Finds stored addresses that the server may not call, when the server starts (O-17).
 *
 * An address may have been stored before the setting changed, or before the process ran in
 * production. All calls to such an address fail and deliveries wait, so the start reports it.
 */

import { findUrlRefusal } from '@purser/protocol/client/network/ssrf-guard'
import type { Reach } from '@purser/protocol/values/base-url'
import { type Db, type Row, statement } from '../core/database/db.ts'
import type { ServerKind } from '../core/database/schema/database-privileges.ts'

const ADDRESS_TABLES = {
  wallet: { of: 'webhook', sql: "select webhook_id as id, url from purser.webhook where state = 'active'" },
  platform: { of: 'partner', sql: 'select partner_id as id, base_url as url from platform.partner' },
  gateway: { of: 'operator', sql: 'select operator_id as id, base_url as url from gateway.operator' },
} as const

/** Lines per start. One wrong setting can refuse all addresses. */
const MAX_LINES = 10

interface AddressRow extends Row {
  id: string
  url: string
}

/** One sentence per address. Names are not resolved, so a start does not wait for DNS. */
export async function describeUnreachableAddresses(
  db: Pick<Db, 'query'>,
  server: ServerKind,
  reach: Reach,
): Promise<string[]> {
  if (reach.plainHttp && reach.privateAddresses) return []
  const { of, sql } = ADDRESS_TABLES[server]
  const rows = await db.query<AddressRow>(statement(`read_addresses_of_${server}`, `${sql} order by 1`))
  const refused = rows.flatMap(({ id, url }) => {
    const refusal = URL.canParse(url) ? findUrlRefusal(new URL(url), reach) : 'its address is not a URL'
    return refusal === undefined ? [] : [`no call to the ${of} ${id} can be made: ${refusal}`]
  })
  const more = refused.length - MAX_LINES
  return more > 0 ? [...refused.slice(0, MAX_LINES), `and none to ${more} more of the ${of}s`] : refused
}
