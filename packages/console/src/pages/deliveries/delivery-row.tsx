/**
 * Parts that the delivery lists share: the data of a delivery, its status, and the row of totals.
 */
import { describeReplyCode } from '@purser/timeline/refusal-reasons'
import { encodeQueryPart } from '../../app/console-api.ts'
import type { LiveMeta } from '../../app/live-updates.tsx'
import { Badge } from '../../shared/controls/page-states.tsx'
import type { BetSelections } from '../../shared/controls/selection-summary.tsx'
import type { OwedMoney } from '../../shared/data/owed-money.ts'
import { OwedSums } from '../../shared/data/partners.tsx'

export interface DeliveryRow extends BetSelections {
  readonly deliveryId: string
  readonly betId: string
  readonly partnerId: string
  readonly operation: string
  readonly status: string
  readonly amount?: string
  readonly currency?: string
  readonly attempts: number
  readonly code?: number
  readonly error?: string
  readonly decidedAt: string
  readonly dueAt?: string
  readonly needsAttentionSince?: string
  readonly owedAmount?: string
  /** The delivery's share in the sums of its partner. Absent after the delivery has ended. */
  readonly outstandingAmount?: string
  /** The partner never acknowledged the bet. */
  readonly isStakeUnknown?: boolean
}

export const partnerQuery = (partner: string) => (partner === '' ? '' : `&partnerId=${encodeQueryPart(partner)}`)

/** A failed attempt is no feed event, so the lists also follow calls. */
export const DELIVERY_LIVE: LiveMeta = { live: ['delivery', 'bet', 'call'], everyMs: 1_000 }

const TONES: Readonly<Record<string, string>> = {
  stuck: 'bad',
  refused: 'bad',
  unknown: 'bad',
  pending: 'wait',
  waiting: 'wait',
  done: 'good',
}

const STATUS_TITLES: Readonly<Record<string, string>> = {
  stuck: 'Exhausted',
  refused: 'Rejected',
  unknown: 'Unknown',
  pending: 'Pending',
  waiting: 'Waiting',
  done: 'Delivered',
}

export function DeliveryState({ status, code }: { status: string; code?: number | undefined }) {
  const word = STATUS_TITLES[status] ?? status
  return (
    <Badge tone={TONES[status] ?? 'plain'}>{code === undefined ? word : `${word} · ${describeReplyCode(code)}`}</Badge>
  )
}

interface TotalRowProps {
  readonly name?: string
  readonly money: readonly OwedMoney[]
  readonly columns: number
  /** The number of rows shown, if the list has more. */
  readonly of?: number | undefined
}

export function TotalRow({ name = 'Total', money, columns, of }: TotalRowProps) {
  return (
    <tr>
      <th scope="row" colSpan={columns - 1}>
        <span className="foot-name">
          {name}
          {of !== undefined && `, for the ${of} shown`}
        </span>
      </th>
      <td className="num">
        <OwedSums of={money} />
      </td>
    </tr>
  )
}
