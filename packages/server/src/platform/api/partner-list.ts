/**
 * List of partners in the platform API, with state, waiting deliveries and owed money (decided, but
 * not yet moved).
 */

import { probeMembers } from '@purser/protocol/client/secret-probe'
import { groupBy } from '@purser/runtime/group'
import { type Static, Type } from 'typebox'
import { type Db, statement } from '../../core/database/db.ts'
import { decodeCursor, pageQuery, parseLimit, toPage, toPageSchema } from '../../core/http/api/pagination.ts'
import { showConnection, shownConnectionMember } from '../../core/partners/connection-member.ts'
import type { CircuitBreakers } from '../circuit-breaker.ts'
import type { Partners } from '../partner-clients.ts'
import { IS_SUMMED, type OwedSum, outstandingAmount, sumOwed } from '../store/needs-attention.ts'
import { IS_ROLLBACK } from '../store/outbox.ts'

const time = Type.String({ format: 'date-time' })

/** The limit bounds the work, because each delivery needs a read of its bet. */
const MAX_ON_THE_WAY = 1_000
const SUM = {
  currency: Type.String(),
  amount: Type.String({ description: 'The outstanding amount in both directions.' }),
  takeBack: Type.String({ description: 'The part that has to be taken back from players.' }),
  deliveries: Type.Integer(),
}
const since = { ...time, description: 'The time at which the oldest of these deliveries was decided.' }

export const PartnerViewSchema = Type.Object({
  partnerId: Type.String(),
  baseUrl: Type.String(),
  ...shownConnectionMember,
  state: Type.Enum(['up', 'down', 'probing'], {
    description:
      'The state of the circuit breaker in the process that responds. `down` means that five calls in a row had no usable answer (C-6, C-10).',
  }),
  since: Type.Optional({
    ...time,
    description:
      'The time of the last change. It is absent if the partner has been up since the start of this process.',
  }),
  lastError: Type.Optional(
    Type.Object(
      { at: time, error: Type.String() },
      { description: 'The last call without a usable answer, or with a signature that the partner rejected (code 1).' },
    ),
  ),
  waiting: Type.Integer({ description: 'The number of open deliveries.' }),
  owed: Type.Array(Type.Object(SUM), {
    description:
      'Deliveries that need attention (C-9), by currency. GET /deliveries?needsAttention=true&partnerId=… lists them.',
  }),
  inProgress: Type.Array(Type.Object({ ...SUM, since }), {
    description: `The same sums for deliveries that are being sent or retried automatically, at most ${MAX_ON_THE_WAY}. Rollbacks of bets that the partner never acknowledged are left out, because their stakes may not have been taken.`,
  }),
})
export const PartnerPageSchema = toPageSchema(PartnerViewSchema)
export const PartnerListQuery = Type.Object(pageQuery, { additionalProperties: false })

export const TriedPartnerSchema = Type.Object({
  ...{ partnerId: Type.String(), baseUrl: Type.String() },
  ...shownConnectionMember,
  ...probeMembers,
})

interface PartnerRow extends Record<string, unknown> {
  partner_id: string
  base_url: string
  waiting: bigint
}

/** Each count has its own index: one for pending deliveries of a partner, one for waiting ones. */
const LIST = statement(
  'platform_list_partners',
  `select p.partner_id, p.base_url,
     (select count(*) from platform.delivery where partner_id = p.partner_id and ${IS_ROLLBACK} is not null)
       + coalesce(w.waiting, 0) as waiting
   from (select partner_id, base_url from platform.partner where partner_id > $1 order by partner_id limit $2::int) p
   left join (select partner_id, count(*) as waiting from platform.delivery where status = 'waiting' group by partner_id) w using (partner_id)
   order by p.partner_id`,
)

const OWED = statement(
  'platform_owed_by_partner',
  sumOwed('partner_id', "partner_id = any($1::text[]) and owed_since > '-infinity' and partner_id is not null"),
)

/**
 * A bet has at most one pending delivery, so its money counts once. If the partner never
 * acknowledged the bet, it may not have taken the stake.
 */
const ON_THE_WAY = statement(
  'platform_on_the_way_by_partner',
  sumOwed(
    'partner_id',
    `${IS_SUMMED} and owed_amount <> 0`,
    `(select d.partner_id, d.decided_at, b.currency as owed_currency, ${outstandingAmount('b')} as owed_amount
      from unnest($1::text[]) as p (partner_id)
      cross join lateral (
        select partner_id, bet_id, decided_at from platform.delivery
        where partner_id = p.partner_id and ${IS_ROLLBACK} is not null and owed_since is null limit ${MAX_ON_THE_WAY}
      ) d join platform.bet b on b.bet_id = d.bet_id where b.acknowledged_status is not null) w`,
    ', min(decided_at) as since',
  ),
)
interface OnTheWaySum extends OwedSum {
  readonly since: Date
}

interface ListDeps {
  readonly db: Db
  readonly breakers: CircuitBreakers
  readonly partners: Pick<Partners, 'connections'>
}

/** In the order of their ids. */
export async function listPartners({ db, breakers, partners }: ListDeps, query: Static<typeof PartnerListQuery>) {
  const limit = parseLimit(query)
  const after = decodeCursor(query.after)?.ids[0] ?? ''
  const rows = await db.userQueries.query<PartnerRow>(LIST, [after, limit + 1])
  const ids = rows.map((row) => row.partner_id)
  const sumsOf = async <T extends OwedSum>(statement: typeof OWED) =>
    groupBy(await db.userQueries.query<T>(statement, [ids]), ({ kind }) => kind)
  const [owed, inProgress, connections] = await Promise.all([
    ...([sumsOf<OwedSum>(OWED), sumsOf<OnTheWaySum>(ON_THE_WAY)] as const),
    partners.connections(ids),
  ])
  return toPage(
    rows,
    limit,
    (row) => ({
      ...toPartnerView(row, breakers),
      ...showConnection(connections.get(row.partner_id) ?? {}),
      owed: (owed.get(row.partner_id) ?? []).map(toSumView),
      inProgress: (inProgress.get(row.partner_id) ?? []).map((sum) => ({
        ...toSumView(sum),
        since: sum.since.toISOString(),
      })),
    }),
    (last) => [new Date(0).toISOString(), last.partner_id],
  )
}

function toPartnerView({ partner_id: partnerId, base_url: baseUrl, waiting }: PartnerRow, breakers: CircuitBreakers) {
  const { kind, since, lastFault } = breakers.of(partnerId).state()
  return {
    ...{ partnerId, baseUrl, state: kind },
    ...(since !== null && { since: new Date(since).toISOString() }),
    ...(lastFault !== null && { lastError: { at: new Date(lastFault.at).toISOString(), error: lastFault.text } }),
    waiting: toNumber(waiting),
  }
}

function toSumView({ count, currency, amount, takeBack }: OwedSum) {
  return { currency, amount, takeBack, deliveries: toNumber(count) }
}

function toNumber(count: bigint): number {
  return Number.parseInt(String(count), 10)
}
